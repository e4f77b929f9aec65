#include "traces/journal_record.h"

#include <cstring>

#include "traces/byte_stream.h"
#include "traces/elements.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// float32 holds every element of the other dtypes exactly.
bool needs_float64(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::complex128:
    case DType::int32:
    case DType::uint32:
    case DType::int64:
    case DType::uint64:
      return true;
    default:
      return false;
  }
}

bool is_same_bits(const Sketch& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool repeats_payload(const Record& record, std::span<const std::byte> payload) {
  const Sketch& sketch = record.fingerprint.sketch;
  return !payload.empty() && sketch.size() == numbers_in(payload.size(), record.dtype) &&
         is_same_bits(sketch, to_numbers(payload, record.dtype));
}

format::SketchTable sketch_table(const Record& record, std::span<const std::byte> payload) {
  if (record.fingerprint.sketch.empty()) return format::SketchTable::none;
  if (repeats_payload(record, payload)) return format::SketchTable::payload;
  return needs_float64(record.dtype) ? format::SketchTable::float64 : format::SketchTable::float32;
}

std::uint8_t flags_of(const Record& record) {
  return static_cast<std::uint8_t>((record.external ? format::flag_external : 0) |
                                   (record.declared ? format::flag_declared : 0) |
                                   (record.dropped ? format::flag_dropped : 0));
}

format::RecordHead head_of(std::int64_t row, const Record& record) {
  const Statistics& statistics = record.fingerprint.statistics;
  format::RecordHead head{.row = row, .step = record.id.step, .micro = record.id.micro, .rank = record.id.rank};
  head.call = record.id.call;
  head.position = record.position;
  head.pass = static_cast<std::uint8_t>(record.id.pass);
  head.role = static_cast<std::uint8_t>(record.id.role);
  head.dtype = static_cast<std::uint8_t>(record.dtype);
  head.flags = flags_of(record);
  head.layer_bytes = static_cast<std::uint32_t>(record.id.layer.size());
  head.index_bytes = static_cast<std::uint32_t>(record.id.index.size());
  head.dimensions = static_cast<std::uint32_t>(record.shape.size());
  head.producer_count = static_cast<std::uint32_t>(record.producers.size());
  head.sketch_count = static_cast<std::uint32_t>(record.fingerprint.sketch.size());
  head.low = record.fingerprint.hash.low;
  head.high = record.fingerprint.hash.high;
  head.min = statistics.min;
  head.max = statistics.max;
  head.mean = statistics.mean;
  head.l2 = statistics.l2;
  head.nan_count = statistics.nan_count;
  head.inf_count = statistics.inf_count;
  head.zero_count = statistics.zero_count;
  return head;
}

void encode_sketch(const Sketch& sketch, format::SketchTable table, ByteWriter& writer) {
  if (table == format::SketchTable::float64) writer.numbers(std::span(sketch));
  if (table != format::SketchTable::float32) return;
  for (double value : sketch) writer.row(static_cast<float>(value));
}

void require(bool condition, const char* what, ErrorCode code) {
  if (!condition) throw Error(code, what);
}

RecordId id_of(const format::RecordHead& head, ByteReader& reader) {
  require(head.pass <= static_cast<std::uint8_t>(Pass::update), "unknown pass", ErrorCode::version);
  require(head.role <= static_cast<std::uint8_t>(Role::op_output), "unknown role", ErrorCode::version);
  RecordId id{.step = head.step, .micro = head.micro, .rank = head.rank, .pass = static_cast<Pass>(head.pass)};
  id.layer = reader.text(head.layer_bytes);
  id.call = head.call;
  id.role = static_cast<Role>(head.role);
  id.index = reader.text(head.index_bytes);
  return id;
}

Fingerprint fingerprint_of(const format::RecordHead& head) {
  Fingerprint print{.hash = {head.low, head.high}, .statistics = {}, .sketch = {}};
  print.statistics = {.min = head.min, .max = head.max, .mean = head.mean, .l2 = head.l2};
  print.statistics.nan_count = head.nan_count;
  print.statistics.inf_count = head.inf_count;
  print.statistics.zero_count = head.zero_count;
  return print;
}

std::size_t element_bytes(format::SketchTable table) {
  switch (table) {
    case format::SketchTable::float32:
      return sizeof(float);
    case format::SketchTable::float64:
      return sizeof(double);
    default:
      return 0;
  }
}

}  // namespace

void encode_record(std::int64_t row, const Record& record, std::span<const std::byte> payload,
                   std::vector<std::byte>& out) {
  out.clear();
  ByteWriter writer(out);
  format::RecordHead head = head_of(row, record);
  const format::SketchTable table = sketch_table(record, payload);
  head.sketch_table = static_cast<std::uint32_t>(table);
  writer.row(head);
  writer.text(record.id.layer);
  writer.text(record.id.index);
  writer.numbers(std::span(record.shape));
  writer.numbers(std::span(record.producers));
  encode_sketch(record.fingerprint.sketch, table, writer);
}

void set_content(std::span<std::byte> body, std::int64_t content) {
  std::memcpy(body.data() + offsetof(format::RecordHead, content), &content, sizeof content);
}

JournalRecord decode_record(std::span<const std::byte> body) {
  ByteReader reader(body);
  const auto head = reader.row<format::RecordHead>();
  require(is_valid_dtype(head.dtype), "unknown dtype", ErrorCode::version);
  require(head.sketch_table <= static_cast<std::uint32_t>(format::SketchTable::payload), "unknown sketch table",
          ErrorCode::version);
  require(head.dimensions <= format::most_dimensions, "a shape of too many dimensions", ErrorCode::damaged);
  JournalRecord out{.row = head.row, .content = head.content, .record = {}};
  out.record.id = id_of(head, reader);
  out.record.position = head.position;
  out.record.dtype = static_cast<DType>(head.dtype);
  out.record.shape = reader.numbers<std::int64_t>(head.dimensions);
  out.record.producers = reader.numbers<std::int64_t>(head.producer_count);
  out.record.external = (head.flags & format::flag_external) != 0;
  out.record.declared = (head.flags & format::flag_declared) != 0;
  out.record.dropped = (head.flags & format::flag_dropped) != 0;
  out.record.fingerprint = fingerprint_of(head);
  out.sketch_table = static_cast<format::SketchTable>(head.sketch_table);
  out.sketch_count = head.sketch_count;
  out.sketch = reader.bytes(std::uint64_t{head.sketch_count} * element_bytes(out.sketch_table));
  require(reader.at_end(), "a record entry is longer than what it holds", ErrorCode::damaged);
  byte_count(out.record.shape, out.record.dtype);
  return out;
}

}  // namespace goldentrace
