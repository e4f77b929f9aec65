#include "traces/trace_reader.h"

#include <algorithm>
#include <mutex>

#include "traces/elements.h"
#include "traces/error.h"
#include "traces/file_rest.h"
#include "traces/format.h"
#include "traces/header_text.h"
#include "traces/index_reader.h"
#include "traces/string_list.h"

namespace goldentrace {
namespace {

[[noreturn]] void rethrow_with_file(const Error& error, const std::filesystem::path& path) {
  if (!error.place().file.empty()) throw error;
  throw Error(error.code(), error.what(), {.file = path.string(), .record = {}});
}

std::string header_text(const SealedTables& tables) {
  const std::vector<char> text = tables.load<char>(format::header);

  return {text.begin(), text.end()};
}

// Records by the hash of their id, for look-up by id.
class IdLookup {
 public:
  explicit IdLookup(const std::vector<Record>& records) {
    entries_.reserve(records.size());
    for (std::size_t row = 0; row < records.size(); ++row) entries_.emplace_back(key(records[row].id), row);
    std::sort(entries_.begin(), entries_.end());
  }

  std::optional<std::int64_t> find(const std::vector<Record>& records, const RecordId& id) const {
    const std::uint64_t wanted = key(id);
    auto entry = std::lower_bound(entries_.begin(), entries_.end(), std::pair{wanted, std::size_t{0}});
    for (; entry != entries_.end() && entry->first == wanted; ++entry) {
      if (records[entry->second].id == id) return static_cast<std::int64_t>(entry->second);
    }
    return std::nullopt;
  }

 private:
  static std::uint64_t key(const RecordId& id) {
    std::uint64_t sum = std::hash<std::string_view>()(id.layer) * 31 + std::hash<std::string_view>()(id.index);
    for (auto part : {id.step, id.micro, std::int64_t{id.rank}, std::int64_t{id.call},
                      static_cast<std::int64_t>(id.pass), static_cast<std::int64_t>(id.role)}) {
      sum = (sum ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15ull;
    }
    return sum;
  }

  std::vector<std::pair<std::uint64_t, std::size_t>> entries_;
};

}  // namespace

struct TraceReader::State {
  explicit State(const std::filesystem::path& path) : file(path) {}

  IndexContext context() const { return {frames, tables, payloads, strings, tapes.size(), blobs.size()}; }
  const format::IndexRow& row_at(std::int64_t row) const;
  void read_payload(std::int64_t row, std::vector<std::byte>& bytes) const;
  std::vector<std::byte> payload(std::int64_t row) const;
  std::vector<ByteRange> covered() const;
  std::vector<std::int64_t> distinct_payloads() const;
  void check_rest() const;

  TraceFile file;
  FrameReader frames{file};
  SealedTables tables{frames};
  Header header = parse_header(header_text(tables));
  std::vector<std::string> strings = StringList(frames, tables, format::strings_bytes, format::strings_ends).all();
  StringList tapes{frames, tables, format::tapes_bytes, format::tapes_ends};
  StringList blobs{frames, tables, format::blobs_bytes, format::blobs_ends};
  PayloadReader payloads{frames, tables, strings};
  std::vector<format::IndexRow> rows = tables.load<format::IndexRow>(format::index);
  std::vector<Record> records = read_records(context(), rows);
  std::vector<LayerCall> calls = read_calls(context());
  mutable std::once_flag lookup_made;
  mutable std::optional<IdLookup> lookup;
};

const format::IndexRow& TraceReader::State::row_at(std::int64_t row) const {
  if (row >= 0 && row < static_cast<std::int64_t>(rows.size())) return rows[static_cast<std::size_t>(row)];
  throw Error(ErrorCode::not_found, "no record " + std::to_string(row) + "; there are " + std::to_string(rows.size()),
              {.file = file.path().string(), .record = {}});
}

void TraceReader::State::read_payload(std::int64_t row, std::vector<std::byte>& bytes) const {
  const format::IndexRow& where = row_at(row);
  const Record& record = records[static_cast<std::size_t>(row)];
  if (where.dataset == format::no_dataset) {
    throw Error(ErrorCode::not_found, "has no payload; record with --capture full",
                {.file = file.path().string(), .record = to_string(record.id)});
  }
  payloads.read(where, static_cast<std::uint64_t>(byte_count(record.shape, record.dtype)), bytes);
}

std::vector<std::byte> TraceReader::State::payload(std::int64_t row) const {
  std::vector<std::byte> bytes;
  read_payload(row, bytes);
  const Record& record = records[static_cast<std::size_t>(row)];
  if (content_hash(bytes) != record.fingerprint.hash) {
    throw Error(ErrorCode::damaged, "damaged: the hash of its content is wrong; record again or copy again",
                {.file = file.path().string(), .record = to_string(record.id)});
  }
  return bytes;
}

// Everything that has a hash of its own.
std::vector<ByteRange> TraceReader::State::covered() const {
  const format::FirstBlock& block = file.first_block();
  std::vector<ByteRange> ranges{{0, sizeof block},
                                {block.tables_address, block.tables_rows * sizeof(format::TableRow)},
                                {block.chunks_address, block.chunks_rows * sizeof(format::ChunkRow)}};
  for (const std::span<const format::ChunkRow>& chunks : {tables.chunks(), payloads.chunks()}) {
    for (const format::ChunkRow& chunk : chunks) ranges.push_back({chunk.address, chunk.bytes});
  }
  return ranges;
}

void TraceReader::State::check_rest() const {
  const ReadBytes read = [this](std::uint64_t address, std::span<std::byte> bytes) { file.read(address, bytes); };
  const Hash128 rest = hash_of_rest(file.size(), covered(), read);
  if (rest != Hash128{file.first_block().rest_low, file.first_block().rest_high}) {
    throw Error(ErrorCode::damaged, "damaged: the hash of HDF5's own structures is wrong; record again or copy again",
                {.file = file.path().string(), .record = {}});
  }
}

// One row per stored content.
std::vector<std::int64_t> TraceReader::State::distinct_payloads() const {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].dataset < format::empty) numbers.push_back(static_cast<std::int64_t>(i));
  }
  const auto place = [this](std::int64_t row) {
    const format::IndexRow& at = rows[static_cast<std::size_t>(row)];
    return std::tuple(at.dataset, at.row, at.shape, at.low, at.high);
  };
  std::sort(numbers.begin(), numbers.end(), [&](auto a, auto b) { return place(a) < place(b); });
  numbers.erase(std::unique(numbers.begin(), numbers.end(), [&](auto a, auto b) { return place(a) == place(b); }),
                numbers.end());
  return numbers;
}

TraceReader::TraceReader(const std::filesystem::path& path) {
  try {
    state_ = std::make_unique<State>(path);
  } catch (const Error& error) {
    rethrow_with_file(error, path);
  }
}

TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;

const std::filesystem::path& TraceReader::path() const { return state_->file.path(); }
bool TraceReader::being_rewritten() const { return state_->file.being_rewritten(); }
const Header& TraceReader::header() const { return state_->header; }
const std::vector<Record>& TraceReader::records() const { return state_->records; }
const std::vector<LayerCall>& TraceReader::calls() const { return state_->calls; }

std::optional<std::int64_t> TraceReader::find(const RecordId& id) const {
  std::call_once(state_->lookup_made, [this] { state_->lookup.emplace(state_->records); });
  return state_->lookup->find(state_->records, id);
}

bool TraceReader::has_payload(std::int64_t row) const { return state_->row_at(row).dataset != format::no_dataset; }

std::vector<std::byte> TraceReader::payload(std::int64_t row) const { return state_->payload(row); }

void TraceReader::read_payload(std::int64_t row, std::vector<std::byte>& bytes) const {
  state_->read_payload(row, bytes);
}

Sketch TraceReader::sketch(std::int64_t row) const {
  const format::IndexRow& where = state_->row_at(row);
  switch (static_cast<format::SketchTable>(where.sketch_table)) {
    case format::SketchTable::float32: {
      std::vector<float> stored(where.sketch_count);
      state_->frames.read(state_->tables.run(format::sketches_float32), where.sketch * sizeof(float),
                          std::as_writable_bytes(std::span(stored)));
      return {stored.begin(), stored.end()};
    }
    case format::SketchTable::float64: {
      Sketch sketch(where.sketch_count);
      state_->frames.read(state_->tables.run(format::sketches_float64), where.sketch * sizeof(double),
                          std::as_writable_bytes(std::span(sketch)));
      return sketch;
    }
    case format::SketchTable::payload:
      return to_numbers(state_->payload(row), state_->records[static_cast<std::size_t>(row)].dtype);
    case format::SketchTable::none:
      break;
  }
  return {};
}

std::int64_t TraceReader::tape_count() const { return static_cast<std::int64_t>(state_->tapes.size()); }

std::string TraceReader::tape_text(std::int64_t tape) const {
  if (tape >= 0 && tape < tape_count()) return state_->tapes.at(static_cast<std::uint64_t>(tape));
  throw Error(ErrorCode::not_found, "no tape " + std::to_string(tape) + "; there are " + std::to_string(tape_count()),
              {.file = path().string(), .record = {}});
}

Tape TraceReader::tape(std::int64_t tape) const {
  try {
    return parse_tape(tape_text(tape));
  } catch (const Error& error) {
    rethrow_with_file(error, path());
  }
}

std::vector<std::byte> TraceReader::blob(std::int64_t blob) const {
  if (blob < 0 || static_cast<std::uint64_t>(blob) >= state_->blobs.size()) {
    throw Error(ErrorCode::not_found, "no blob " + std::to_string(blob), {.file = path().string(), .record = {}});
  }
  const std::string bytes = state_->blobs.at(static_cast<std::uint64_t>(blob));
  const std::span<const std::byte> view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

void TraceReader::verify(const std::function<void(std::uint64_t, std::uint64_t)>& progress) const {
  const State& state = *state_;
  const std::vector<std::int64_t> contents = state.distinct_payloads();
  std::uint64_t total = 0;
  std::uint64_t done = 0;
  for (const ByteRange& range : state.covered()) total += range.bytes;
  const auto bytes_of = [&](std::int64_t row) {
    const Record& record = state.records[static_cast<std::size_t>(row)];
    return static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
  };
  for (std::int64_t row : contents) total += bytes_of(row);
  const auto advance = [&](std::uint64_t bytes) {
    done += bytes;
    if (progress) progress(done, total);
  };
  state.check_rest();
  state.tables.verify(advance);
  state.payloads.check_frames(advance);
  for (std::int64_t row : contents) {
    state.payload(row);
    advance(bytes_of(row));
  }
  if (progress) progress(total, total);
}

}  // namespace goldentrace
