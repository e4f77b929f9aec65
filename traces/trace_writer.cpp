#include "traces/trace_writer.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "traces/error.h"
#include "traces/format_fields.h"
#include "traces/hdf5_types.h"
#include "traces/header_text.h"
#include "traces/payload_store.h"
#include "traces/seal_writer.h"
#include "traces/sketch_store.h"
#include "traces/string_table.h"

namespace goldentrace {
namespace {

// Tables and texts are compressed at this level, whatever is asked for payloads.
constexpr int table_level = 1;

// Makes the streams of one file.
struct StreamMaker {
  Hdf5File* file;
  FrameEncoder* encoder;

  ChunkedStream numbers(std::string_view path, DType dtype) const {
    const Hdf5Guard guard;
    return make(path, element_type(dtype), item_size(dtype));
  }
  ChunkedStream rows(std::string_view path, std::span<const format::Field> fields, std::size_t row_bytes) const {
    const Hdf5Guard guard;
    return make(path, row_type(fields, row_bytes), row_bytes);
  }
  StringTable strings(std::string_view bytes, std::string_view ends) const {
    return {numbers(bytes, DType::uint8), numbers(ends, DType::uint64)};
  }
  ChunkedStream make(std::string_view path, Hdf5Handle type, std::size_t row_bytes) const {
    return {{file, encoder, std::string(path), table_level}, std::move(type), row_bytes, format::Codec::shuffled_zstd};
  }
};

constexpr int level_of(Codec codec) {
  switch (codec) {
    case Codec::fast:
      return -10;
    case Codec::small:
      return 6;
    case Codec::none:
      return 0;
    default:
      return 1;
  }
}

template <typename State>
State& alive(const std::unique_ptr<State>& state) {
  if (!state) throw Error(ErrorCode::internal, "the trace is closed already");
  return *state;
}

std::uint8_t flags_of(const Record& record) {
  return static_cast<std::uint8_t>((record.external ? format::flag_external : 0) |
                                   (record.declared ? format::flag_declared : 0) |
                                   (record.dropped ? format::flag_dropped : 0));
}

}  // namespace

struct TraceWriter::State {
  State(const std::filesystem::path& path, WriterOptions wanted)
      : options(wanted), file(path), hdf5(file), encoder(table_level), payload_encoder(level_of(wanted.codec)) {}

  void check_record(std::int64_t row, const Record& record, std::span<const std::byte> payload) const;
  void put(std::int64_t row, const Record& record, std::span<const std::byte> payload);
  void put_known(std::int64_t row, const Record& record);
  void put_at(std::int64_t row, const Record& record, PayloadLocation location, std::span<const std::byte> payload);
  format::IndexRow index_row(const Record& record, PayloadLocation location, std::span<const std::byte> payload);
  std::uint32_t string(std::string_view text) { return static_cast<std::uint32_t>(strings.add(text)); }
  std::uint32_t shape(const Shape& shape);
  void commit();
  void complete_commits();
  void complete(std::int64_t rows, std::size_t call_count);
  void seal();

  struct OpenRow {
    format::IndexRow row;
    std::vector<std::int64_t> producers;
  };
  struct OpenCommit {
    std::int64_t rows;
    std::size_t calls;
  };

  mutable std::mutex mutex;
  WriterOptions options;
  Header header;
  PartialFile file;
  Hdf5File hdf5;
  FrameEncoder encoder;
  FrameEncoder payload_encoder;
  StreamMaker maker{&hdf5, &encoder};
  StringTable strings = maker.strings(format::strings_bytes, format::strings_ends);
  StringTable tapes = maker.strings(format::tapes_bytes, format::tapes_ends);
  StringTable blobs = maker.strings(format::blobs_bytes, format::blobs_ends);
  ChunkedStream shapes = maker.numbers(format::shapes, DType::int64);
  ChunkedStream index = maker.rows(format::index, format::index_fields, sizeof(format::IndexRow));
  ChunkedStream producers = maker.numbers(format::producers, DType::int64);
  SketchStore sketches{maker.numbers(format::sketches_float32, DType::float32),
                       maker.numbers(format::sketches_float64, DType::float64)};
  PayloadStore payloads{hdf5, payload_encoder, level_of(options.codec)};
  std::map<Shape, std::uint32_t> shape_numbers;
  std::vector<format::CallRow> calls;

  std::int64_t reserved = 0;
  std::map<std::int64_t, OpenRow> open_rows;  // put, not committed; payloads are in the file already
  std::deque<OpenCommit> open_commits;
  std::size_t committed_calls = 0;
  std::uint64_t committed_bytes = 0;
};

void TraceWriter::State::check_record(std::int64_t row, const Record& record,
                                      std::span<const std::byte> payload) const {
  const auto bytes = static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
  if (payload.data() != nullptr && payload.size() != bytes) {
    throw Error(ErrorCode::internal,
                "a payload of " + std::to_string(payload.size()) + " bytes for a tensor of " + std::to_string(bytes),
                {.file = file.target().string(), .record = to_string(record.id)});
  }
  for (std::int64_t producer : record.producers) {
    if (producer < 0 || producer >= row) {
      throw Error(ErrorCode::internal, "producer " + std::to_string(producer) + " is no earlier record",
                  {.file = file.target().string(), .record = to_string(record.id)});
    }
  }
}

std::uint32_t TraceWriter::State::shape(const Shape& shape) {
  const auto [found, is_new] = shape_numbers.try_emplace(shape, static_cast<std::uint32_t>(shapes.rows()));
  if (is_new) shapes.append(std::as_bytes(std::span(shape)));
  return found->second;
}

format::IndexRow TraceWriter::State::index_row(const Record& record, PayloadLocation location,
                                               std::span<const std::byte> payload) {
  const SketchLocation sketch = sketches.store(record, payload);
  const Statistics& statistics = record.fingerprint.statistics;
  format::IndexRow row{.step = record.id.step, .micro = record.id.micro, .rank = record.id.rank};
  row.layer = string(record.id.layer);
  row.call = record.id.call;
  row.index = string(record.id.index);
  row.position = record.position;
  row.pass = static_cast<std::uint8_t>(record.id.pass);
  row.role = static_cast<std::uint8_t>(record.id.role);
  row.dtype = static_cast<std::uint8_t>(record.dtype);
  row.flags = flags_of(record);
  row.shape = shape(record.shape);
  row.dimensions = static_cast<std::uint32_t>(record.shape.size());
  row.producer_count = static_cast<std::uint32_t>(record.producers.size());
  row.dataset = location.dataset;
  row.row = location.row;
  row.sketch = sketch.first;
  row.sketch_count = sketch.count;
  row.sketch_table = static_cast<std::uint32_t>(sketch.table);
  row.low = record.fingerprint.hash.low;
  row.high = record.fingerprint.hash.high;
  row.min = statistics.min;
  row.max = statistics.max;
  row.mean = statistics.mean;
  row.l2 = statistics.l2;
  row.nan_count = statistics.nan_count;
  row.inf_count = statistics.inf_count;
  row.zero_count = statistics.zero_count;
  return row;
}

void TraceWriter::State::put(std::int64_t row, const Record& record, std::span<const std::byte> payload) {
  file.check();
  check_record(row, record, payload);
  const bool has_payload = payload.data() != nullptr || byte_count(record.shape, record.dtype) == 0;
  put_at(row, record, has_payload ? payloads.store(record, payload) : PayloadLocation{}, payload);
}

void TraceWriter::State::put_known(std::int64_t row, const Record& record) {
  file.check();
  check_record(row, record, {});
  const std::optional<PayloadLocation> location = payloads.find(record);
  if (!location) {
    throw Error(ErrorCode::internal, "the content of a record is not in the file",
                {.file = file.target().string(), .record = to_string(record.id)});
  }
  put_at(row, record, *location, {});
}

void TraceWriter::State::put_at(std::int64_t row, const Record& record, PayloadLocation location,
                                std::span<const std::byte> payload) {
  const auto written = static_cast<std::int64_t>(index.rows());
  if (row < written || row >= reserved || open_rows.contains(row)) {
    throw Error(ErrorCode::internal, "row " + std::to_string(row) + " is put twice or was not reserved",
                {.file = file.target().string(), .record = to_string(record.id)});
  }
  open_rows.emplace(row, OpenRow{index_row(record, location, payload), record.producers});
  complete_commits();
}

void TraceWriter::State::commit() {
  open_commits.push_back({reserved, calls.size()});
  complete_commits();
}

void TraceWriter::State::complete_commits() {
  while (!open_commits.empty()) {
    const OpenCommit next = open_commits.front();
    const auto wanted = static_cast<std::size_t>(next.rows) - index.rows();
    const auto ready = std::distance(open_rows.begin(), open_rows.lower_bound(next.rows));
    if (static_cast<std::size_t>(ready) < wanted) return;
    open_commits.pop_front();
    complete(next.rows, next.calls);
  }
}

void TraceWriter::State::complete(std::int64_t rows, std::size_t call_count) {
  const auto end = open_rows.lower_bound(rows);
  for (auto each = open_rows.begin(); each != end; ++each) {
    each->second.row.producers = producers.rows();
    producers.append(std::as_bytes(std::span(each->second.producers)));
    index.append(std::as_bytes(std::span(&each->second.row, 1)));
  }
  open_rows.erase(open_rows.begin(), end);
  committed_calls = call_count;
  const std::uint64_t added = payloads.stored_bytes() - committed_bytes;
  committed_bytes += added;
  if (options.committed) options.committed(added);
}

void TraceWriter::State::seal() {
  calls.resize(committed_calls);
  payloads.finish();
  const PayloadStore::Numbers numbers{.of_path = [this](const std::string& path) { return string(path); },
                                      .of_shape = [this](const Shape& each) { return shape(each); }};
  const std::vector<format::DatasetRow> dataset_rows = payloads.dataset_rows(numbers);
  const std::vector<format::ChunkRow> chunk_rows = payloads.chunk_rows();
  ChunkedStream datasets = maker.rows(format::datasets, format::dataset_fields, sizeof(format::DatasetRow));
  ChunkedStream chunks = maker.rows(format::chunks, format::chunk_fields, sizeof(format::ChunkRow));
  ChunkedStream call_rows = maker.rows(format::calls, format::call_fields, sizeof(format::CallRow));
  datasets.append(std::as_bytes(std::span(dataset_rows)));
  chunks.append(std::as_bytes(std::span(chunk_rows)));
  call_rows.append(std::as_bytes(std::span(calls)));
  for (StringTable* table : {&strings, &tapes, &blobs}) table->finish();
  for (ChunkedStream* stream : {&shapes, &index, &producers, &datasets, &chunks, &call_rows}) stream->finish();
  sketches.finish();

  SealWriter seal;
  seal.add_header(hdf5, to_text(header));
  for (const StringTable* table : {&strings, &tapes, &blobs}) {
    seal.add(table->bytes());
    seal.add(table->ends());
  }
  for (const ChunkedStream* stream : {&shapes, &index, &producers, &datasets, &chunks, &call_rows}) seal.add(*stream);
  seal.add(sketches.float32());
  seal.add(sketches.float64());
  seal.add_payload(chunk_rows);
  seal.write_seal(hdf5);
  hdf5.set_text("/", "format", format::name);
  hdf5.set_number("/", "version", format::version);
  hdf5.close();
  seal.write_first_block(file);
  file.publish();
}

TraceWriter::TraceWriter(const std::filesystem::path& path, WriterOptions options) : state_(new State(path, options)) {}
TraceWriter::~TraceWriter() = default;

Header& TraceWriter::header() { return alive(state_).header; }

std::int64_t TraceWriter::reserve() {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  state.file.check();
  return state.reserved++;
}

void TraceWriter::put(std::int64_t row, const Record& record, std::span<const std::byte> payload) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  state.put(row, record, payload);
}

void TraceWriter::put_known(std::int64_t row, const Record& record) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  state.put_known(row, record);
}

std::int64_t TraceWriter::add(const Record& record, std::span<const std::byte> payload) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  state.file.check();
  state.check_record(state.reserved, record, payload);
  state.put(state.reserved++, record, payload);
  return state.reserved - 1;
}

std::int64_t TraceWriter::record_count() const {
  const std::lock_guard lock(alive(state_).mutex);
  return state_->reserved;
}

std::int64_t TraceWriter::add_tape(const Tape& tape) {
  const std::string text = to_text(tape);
  const std::lock_guard lock(alive(state_).mutex);
  state_->file.check();
  return static_cast<std::int64_t>(state_->tapes.add(text));
}

std::int64_t TraceWriter::add_blob(std::span<const std::byte> bytes) {
  const std::lock_guard lock(alive(state_).mutex);
  state_->file.check();
  return static_cast<std::int64_t>(state_->blobs.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

std::int64_t TraceWriter::add_call(const LayerCall& call) {
  const std::lock_guard lock(alive(state_).mutex);
  format::CallRow row{.step = call.step, .micro = call.micro, .parent = call.parent, .tape = call.tape};
  row.random = call.random;
  row.rank = call.rank;
  row.layer = state_->string(call.layer);
  row.call = call.call;
  row.note = state_->string(call.note);
  row.pass = static_cast<std::uint8_t>(call.pass);
  row.replayable = static_cast<std::uint8_t>(call.replayable);
  state_->calls.push_back(row);
  return static_cast<std::int64_t>(state_->calls.size()) - 1;
}

void TraceWriter::set_tape(std::int64_t call_row, std::int64_t tape) {
  const std::lock_guard lock(alive(state_).mutex);
  state_->calls.at(static_cast<std::size_t>(call_row)).tape = tape;
}

void TraceWriter::set_replayable(std::int64_t call_row, Replayable replayable, std::string note) {
  const std::lock_guard lock(alive(state_).mutex);
  format::CallRow& row = state_->calls.at(static_cast<std::size_t>(call_row));
  row.replayable = static_cast<std::uint8_t>(replayable);
  row.note = state_->string(note);
}

std::uint64_t TraceWriter::payload_bytes() const {
  const std::lock_guard lock(alive(state_).mutex);
  return state_->payloads.stored_bytes();
}

void TraceWriter::commit() {
  const std::lock_guard lock(alive(state_).mutex);
  state_->file.check();
  state_->commit();
}

void TraceWriter::close() {
  // Whatever happens, the writer ends here: a failure removes the file.
  const std::unique_ptr<State> state = std::move(state_);
  alive(state).file.check();
  state->commit();
  if (!state->open_commits.empty()) throw Error(ErrorCode::internal, "a reserved record was never put");
  state->seal();
}

void TraceWriter::close_committed() {
  const std::unique_ptr<State> state = std::move(state_);
  if (alive(state).index.rows() > 0) state->seal();
}

}  // namespace goldentrace
