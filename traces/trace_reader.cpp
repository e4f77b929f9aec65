#include "traces/trace_reader.h"

#include <algorithm>
#include <mutex>

#include "traces/error.h"
#include "traces/id_lookup.h"
#include "traces/rank_files.h"
#include "traces/run_files.h"
#include "traces/trace_segment.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void rethrow_with_file(const Error& error, const fs::path& path) {
  if (!error.place().file.empty()) throw error;
  throw Error(error.code(), error.what(), {.file = path.string(), .record = {}});
}

// What came before a rank's first segment.
struct RankStart {
  std::int64_t row = 0;
  std::size_t part = 0;
  bool in_segments = false;
};

// One segment of an opened trace, and what was before it.
struct Part {
  std::unique_ptr<TraceSegment> segment;
  std::int64_t first_row = 0;
  std::int64_t first_tape = 0;
  std::int64_t first_blob = 0;
};

}  // namespace

struct TraceReader::State {
  explicit State(const fs::path& path);

  Header add_trace(const fs::path& trace);
  void add(const fs::path& file, const RankStart& start);
  void check_rank(const fs::path& trace, const Header& header, const RankStart& start) const;
  void add_records(TraceSegment& segment);
  void add_calls(TraceSegment& segment, const Part& part);
  const Part& part_of(std::int64_t row) const;
  std::span<const Record> records_of(const Part& part) const;
  std::string text(const StringList& (TraceSegment::*list)() const, std::int64_t Part::*first,
                   std::int64_t number) const;

  fs::path path;
  std::vector<Part> parts;
  Header header;
  std::vector<Record> records;
  std::vector<LayerCall> calls;
  std::int64_t tape_count = 0;
  std::int64_t blob_count = 0;
  mutable std::once_flag lookup_made;
  mutable std::optional<IdLookup> lookup;
};

TraceReader::State::State(const fs::path& path) : path(path) {
  const std::vector<fs::path> traces = traces_of_run(path);
  std::vector<Header> headers;
  for (const fs::path& trace : traces) headers.push_back(add_trace(trace));
  if (traces.front() == path) {
    header = std::move(headers.front());
    return;
  }
  std::vector<std::optional<RankName>> names;
  for (const Header& each : headers) names.push_back(rank_name(each));
  check_ranks(path, names);
  header = joined_header(headers);
}

// One rank, or the only one.
Header TraceReader::State::add_trace(const fs::path& trace) {
  const std::vector<fs::path> files = files_of_run(trace);
  const RankStart start{static_cast<std::int64_t>(records.size()), parts.size(), files.front() != trace};
  for (const fs::path& file : files) add(file, start);
  Header last = parts.back().segment->header();
  check_rank(trace, last, start);
  if (!start.in_segments) return last;
  last.erase("segment.number");
  last.erase("segment.first_row");
  last.erase("segment.run");
  return last;
}

// The ids of a rank's file are those of the rank: of two files none is taken for the other.
void TraceReader::State::check_rank(const fs::path& trace, const Header& header, const RankStart& start) const {
  const std::optional<RankName> name = rank_name(header);
  if (!name) return;
  const auto own = std::span(records).subspan(static_cast<std::size_t>(start.row));
  const auto other = std::ranges::find_if(own, [&name](const Record& record) { return record.id.rank != name->rank; });
  if (other == own.end()) return;
  throw Error(ErrorCode::damaged, "damaged: not of rank " + std::to_string(name->rank) + ", which its header says",
              {.file = trace.string(), .record = to_string(other->id)});
}

void TraceReader::State::add(const fs::path& file, const RankStart& start) {
  Part part{.segment = nullptr, .first_row = static_cast<std::int64_t>(records.size())};
  try {
    part.segment = std::make_unique<TraceSegment>(file);
  } catch (const Error& error) {
    rethrow_with_file(error, file);
  }
  if (parts.size() > start.part) {
    const TraceSegment& first = *parts[start.part].segment;
    check_same_run(first.file().path(), first.header(), file, part.segment->header());
  }
  part.first_tape = tape_count;
  part.first_blob = blob_count;
  const std::int64_t before = part.first_row - start.row;
  if (start.in_segments && part.segment->first_row() != before) {
    throw Error(ErrorCode::damaged,
                "does not continue the segment before it: it begins with record " +
                    std::to_string(part.segment->first_row()) + ", not " + std::to_string(before),
                {.file = file.string(), .record = {}});
  }
  add_records(*part.segment);
  add_calls(*part.segment, part);
  tape_count += static_cast<std::int64_t>(part.segment->tapes().size());
  blob_count += static_cast<std::int64_t>(part.segment->blobs().size());
  parts.push_back(std::move(part));
}

void TraceReader::State::add_records(TraceSegment& segment) {
  const auto first = static_cast<std::int64_t>(records.size());
  std::vector<Record> more = segment.take_records();
  if (first > 0 || segment.first_row() > 0) {
    for (Record& record : more) {
      for (std::int64_t& producer : record.producers) producer += first;
      std::erase_if(record.producers, [](std::int64_t producer) { return producer < 0; });
    }
  }
  if (records.empty()) {
    records = std::move(more);
  } else {
    std::move(more.begin(), more.end(), std::back_inserter(records));
  }
}

void TraceReader::State::add_calls(TraceSegment& segment, const Part& part) {
  const auto first = static_cast<std::int64_t>(calls.size());
  for (LayerCall& call : segment.take_calls()) {
    if (call.parent >= 0) call.parent += first;
    if (call.tape >= 0) call.tape += part.first_tape;
    if (call.random >= 0) call.random += part.first_blob;
    calls.push_back(std::move(call));
  }
}

const Part& TraceReader::State::part_of(std::int64_t row) const {
  if (row < 0 || row >= static_cast<std::int64_t>(records.size())) {
    throw Error(ErrorCode::not_found,
                "no record " + std::to_string(row) + "; there are " + std::to_string(records.size()),
                {.file = path.string(), .record = {}});
  }
  const auto next = std::upper_bound(parts.begin(), parts.end(), row,
                                     [](std::int64_t at, const Part& part) { return at < part.first_row; });
  return *std::prev(next);
}

std::span<const Record> TraceReader::State::records_of(const Part& part) const {
  return std::span(records).subspan(static_cast<std::size_t>(part.first_row),
                                    static_cast<std::size_t>(part.segment->row_count()));
}

std::string TraceReader::State::text(const StringList& (TraceSegment::*list)() const, std::int64_t Part::*first,
                                     std::int64_t number) const {
  const auto next = std::upper_bound(parts.begin(), parts.end(), number,
                                     [&](std::int64_t at, const Part& part) { return at < part.*first; });
  const Part& part = *std::prev(next);
  return ((*part.segment).*list)().at(static_cast<std::uint64_t>(number - part.*first));
}

TraceReader::TraceReader(const fs::path& path) {
  try {
    state_ = std::make_unique<State>(path);
  } catch (const Error& error) {
    rethrow_with_file(error, path);
  }
}

TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;

const fs::path& TraceReader::path() const { return state_->path; }
bool TraceReader::being_rewritten() const {
  return std::ranges::any_of(state_->parts, [](const Part& part) { return part.segment->file().being_rewritten(); });
}
const Header& TraceReader::header() const { return state_->header; }
const std::vector<Record>& TraceReader::records() const { return state_->records; }
const std::vector<LayerCall>& TraceReader::calls() const { return state_->calls; }

std::uint64_t TraceReader::file_bytes() const {
  std::uint64_t total = 0;
  for (const Part& part : state_->parts) total += part.segment->file().size();
  return total;
}

std::optional<std::int64_t> TraceReader::find(const RecordId& id) const {
  std::call_once(state_->lookup_made, [this] { state_->lookup.emplace(state_->records); });
  return state_->lookup->find(state_->records, id);
}

bool TraceReader::has_payload(std::int64_t row) const {
  const Part& part = state_->part_of(row);
  return part.segment->row(row - part.first_row).dataset != format::no_dataset;
}

std::vector<std::byte> TraceReader::payload(std::int64_t row) const {
  const Part& part = state_->part_of(row);
  return part.segment->payload(row - part.first_row, state_->records[static_cast<std::size_t>(row)]);
}

void TraceReader::read_payload(std::int64_t row, std::vector<std::byte>& bytes) const {
  const Part& part = state_->part_of(row);
  part.segment->read_payload(row - part.first_row, state_->records[static_cast<std::size_t>(row)], bytes);
}

Sketch TraceReader::sketch(std::int64_t row) const {
  const Part& part = state_->part_of(row);
  return part.segment->sketch(row - part.first_row, state_->records[static_cast<std::size_t>(row)]);
}

std::int64_t TraceReader::tape_count() const { return state_->tape_count; }

std::string TraceReader::tape_text(std::int64_t tape) const {
  if (tape >= 0 && tape < tape_count()) return state_->text(&TraceSegment::tapes, &Part::first_tape, tape);
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
  if (blob < 0 || blob >= state_->blob_count) {
    throw Error(ErrorCode::not_found, "no blob " + std::to_string(blob), {.file = path().string(), .record = {}});
  }
  const std::string bytes = state_->text(&TraceSegment::blobs, &Part::first_blob, blob);
  const std::span<const std::byte> view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

void TraceReader::verify(const std::function<void(std::uint64_t, std::uint64_t)>& progress) const {
  std::uint64_t total = 0;
  std::uint64_t done = 0;
  for (const Part& part : state_->parts) total += part.segment->verify_bytes(state_->records_of(part));
  const auto advance = [&](std::uint64_t bytes) {
    done += bytes;
    if (progress) progress(done, total);
  };
  for (const Part& part : state_->parts) part.segment->verify(state_->records_of(part), advance);
  if (progress) progress(total, total);
}

}  // namespace goldentrace
