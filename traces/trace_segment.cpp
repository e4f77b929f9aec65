#include "traces/trace_segment.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "traces/elements.h"
#include "traces/error.h"
#include "traces/format.h"
#include "traces/header_text.h"

namespace goldentrace {
namespace {

std::string header_text(const SealedTables& tables) {
  const std::vector<char> text = tables.load<char>(format::header);
  return {text.begin(), text.end()};
}

std::int64_t first_row_of(const Header& header) {
  const auto fact = header.find("segment.first_row");
  if (fact == header.end()) return 0;
  std::int64_t row = -1;
  const std::string& text = fact->second;
  std::from_chars(text.data(), text.data() + text.size(), row);
  if (row < 0 || row > std::int64_t{1} << 62) throw Error(ErrorCode::damaged, "damaged: segment.first_row is no row");
  return row;
}

}  // namespace

TraceSegment::TraceSegment(const std::filesystem::path& path, TraceFile::Naming naming)
    : file_(path, naming), header_(parse_header(header_text(tables_))), first_row_(first_row_of(header_)) {}

IndexContext TraceSegment::context() const {
  return {frames_, tables_, payloads_, strings_, tapes_.size(), blobs_.size(), first_row_};
}

void TraceSegment::read_payload(std::int64_t row, const Record& record, std::vector<std::byte>& bytes) const {
  const format::IndexRow& where = this->row(row);
  if (where.dataset == format::no_dataset) {
    throw Error(ErrorCode::not_found, "has no payload; record with --capture full",
                {.file = file_.path().string(), .record = to_string(record.id)});
  }
  payloads_.read(where, static_cast<std::uint64_t>(byte_count(record.shape, record.dtype)), bytes);
}

std::vector<std::byte> TraceSegment::payload(std::int64_t row, const Record& record) const {
  std::vector<std::byte> bytes;
  read_payload(row, record, bytes);
  if (content_hash(bytes) != record.fingerprint.hash) {
    throw Error(ErrorCode::damaged, "damaged: the hash of its content is wrong; record again or copy again",
                {.file = file_.path().string(), .record = to_string(record.id)});
  }
  return bytes;
}

Sketch TraceSegment::sketch(std::int64_t row, const Record& record) const {
  const format::IndexRow& where = this->row(row);
  switch (static_cast<format::SketchTable>(where.sketch_table)) {
    case format::SketchTable::float32: {
      std::vector<float> stored(where.sketch_count);
      frames_.read(tables_.run(format::sketches_float32), where.sketch * sizeof(float),
                   std::as_writable_bytes(std::span(stored)));
      return {stored.begin(), stored.end()};
    }
    case format::SketchTable::float64: {
      Sketch sketch(where.sketch_count);
      frames_.read(tables_.run(format::sketches_float64), where.sketch * sizeof(double),
                   std::as_writable_bytes(std::span(sketch)));
      return sketch;
    }
    case format::SketchTable::payload:
      return to_numbers(payload(row, record), record.dtype);
    case format::SketchTable::none:
      break;
  }
  return {};
}

// Everything that has a hash of its own.
std::vector<ByteRange> TraceSegment::covered() const {
  const format::FirstBlock& block = file_.first_block();
  std::vector<ByteRange> ranges{{0, sizeof block},
                                {block.tables_address, block.tables_rows * sizeof(format::TableRow)},
                                {block.chunks_address, block.chunks_rows * sizeof(format::ChunkRow)}};
  for (const std::span<const format::ChunkRow>& chunks : {tables_.chunks(), payloads_.chunks()}) {
    for (const format::ChunkRow& chunk : chunks) ranges.push_back({chunk.address, chunk.bytes});
  }
  return ranges;
}

void TraceSegment::check_rest() const {
  const ReadBytes read = [this](std::uint64_t address, std::span<std::byte> bytes) { file_.read(address, bytes); };
  const Hash128 rest = hash_of_rest(file_.size(), covered(), read);
  if (rest != Hash128{file_.first_block().rest_low, file_.first_block().rest_high}) {
    throw Error(ErrorCode::damaged, "damaged: the hash of HDF5's own structures is wrong; record again or copy again",
                {.file = file_.path().string(), .record = {}});
  }
}

// One row per stored content.
std::vector<std::int64_t> TraceSegment::distinct_payloads() const {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].dataset < format::empty) numbers.push_back(static_cast<std::int64_t>(i));
  }
  const auto place = [this](std::int64_t row) {
    const format::IndexRow& at = rows_[static_cast<std::size_t>(row)];
    return std::tuple(at.dataset, at.row, at.shape, at.low, at.high);
  };
  std::sort(numbers.begin(), numbers.end(), [&](auto a, auto b) { return place(a) < place(b); });
  numbers.erase(std::unique(numbers.begin(), numbers.end(), [&](auto a, auto b) { return place(a) == place(b); }),
                numbers.end());
  return numbers;
}

void TraceSegment::verify(std::span<const Record> records, const std::function<void(std::uint64_t)>& done) const {
  check_rest();
  tables_.verify(done);
  payloads_.check_frames(done);
  for (std::int64_t row : distinct_payloads()) {
    const Record& record = records[static_cast<std::size_t>(row)];
    done(payload(row, record).size());
  }
}

std::uint64_t TraceSegment::verify_bytes(std::span<const Record> records) const {
  std::uint64_t total = 0;
  for (const ByteRange& range : covered()) total += range.bytes;
  for (std::int64_t row : distinct_payloads()) {
    const Record& record = records[static_cast<std::size_t>(row)];
    total += static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
  }
  return total;
}

}  // namespace goldentrace
