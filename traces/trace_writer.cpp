#include "traces/trace_writer.h"

#include <algorithm>
#include <deque>
#include <future>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/error.h"
#include "traces/header_text.h"
#include "traces/journal_commit.h"
#include "traces/journal_reader.h"
#include "traces/payload_encoder.h"
#include "traces/row_frontier.h"
#include "traces/sealer.h"
#include "traces/segment.h"

namespace goldentrace {
namespace {

// Random states that a later segment may still need.
constexpr std::size_t kept_blobs = 64;
constexpr std::size_t all = static_cast<std::size_t>(-1);

using SegmentPointer = std::shared_ptr<Segment>;

template <typename State>
State& alive(const std::unique_ptr<State>& state) {
  if (!state) throw Error(ErrorCode::internal, "the trace is closed already");
  return *state;
}

enum class Ending { every_row, committed_rows };
enum class Switching { by_size, never };  // to a new segment

// Seals a finished journal and removes it; when that fails the journal stays for `gtrace recover`.
void seal_and_remove(Segment& segment) {
  JournalReader reader(segment.journal.path());
  segment.journal.keep();
  segment.is_kept = true;
  try {
    seal(reader, segment.journal.map(), segment.target);
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()) + "; the recording is in its journal; when there is room: " +
                                  recover_command(segment.journal.path()));
  }
  segment.journal.file().remove();
}

}  // namespace

struct TraceWriter::State {
  State(const std::filesystem::path& path, WriterOptions wanted)
      : options(std::move(wanted)),
        target(checked_target(path)),
        tapes(is_segmented() ? all : 0),
        blobs(is_segmented() ? kept_blobs : 0) {
    begin_segment();
  }

  struct OpenCommit {
    SegmentPointer segment;
    std::int64_t rows = 0;
    JournalCommit body;
    bool ends_segment = false;
  };

  bool is_forked() const { return segments.front()->journal.file().is_forked(); }
  bool is_segmented() const { return options.segment_bytes > 0; }
  Segment& current() const { return *segments.back(); }
  void check() const;
  void check_record(std::int64_t row, const Record& record, std::span<const std::byte> payload) const;
  void check_row(std::int64_t row, const Record& record) const;
  SegmentPointer segment_of(std::int64_t row) const;
  void begin_segment();
  std::string header_text() const;

  void put(std::int64_t row, const Record& record, std::span<const std::byte> payload);
  void put_known(std::int64_t row, const Record& record);
  void put_entry(Segment& segment, std::int64_t row, std::span<std::byte> body, const Record& record,
                 std::optional<JournalContent> content, bool has_payload);
  std::int64_t number_of(Segment& segment, const ContentKey& key, const std::optional<JournalContent>& content);

  void queue_commit(Switching switching);
  void complete_commits();
  void complete(OpenCommit& commit);
  void report_commits(std::unique_lock<std::mutex>& lock);
  void seal_behind(SegmentPointer segment);

  std::int64_t add_text(TextPool& pool, SegmentTexts& local, std::vector<std::string>& added, const std::string& text);
  void change(std::int64_t call_row, CallChange change);
  void queue_rest();
  void end(Ending ending);
  void finish(Ending ending);
  [[noreturn]] void give_up(const Error& error);

  WriterOptions options;
  std::filesystem::path target;
  Header header;
  mutable std::mutex mutex;
  std::optional<Error> failure;

  std::deque<SegmentPointer> segments;  // the last one takes new rows; earlier ones wait for theirs
  std::uint32_t segment_count = 0;
  std::int64_t reserved = 0;
  RowFrontier rows;
  std::int64_t call_count = 0;
  TextPool tapes, blobs;
  JournalCommit open;  // since the last commit()
  std::deque<OpenCommit> commits;
  std::int64_t committed_rows = 0;
  std::uint64_t steps = 0;  // commits that brought rows, the queued ones included
  std::uint64_t committed_steps = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t reported_bytes = 0;
  std::deque<std::uint64_t> unreported;
  bool is_reporting = false;
  std::shared_future<void> sealing;
};

void TraceWriter::State::check() const {
  if (failure) throw *failure;
  for (const SegmentPointer& segment : segments) segment->journal.file().check();
}

void TraceWriter::State::begin_segment() {
  format::JournalHead head{.first_row = static_cast<std::uint64_t>(reserved)};
  head.codec = static_cast<std::uint32_t>(options.codec);
  head.segment = segment_count++;
  head.is_segment = is_segmented() ? 1 : 0;
  const std::filesystem::path file = is_segmented() ? segment_path(target, head.segment) : target;
  segments.push_back(std::make_shared<Segment>(file, head, call_count));
}

SegmentPointer TraceWriter::State::segment_of(std::int64_t row) const {
  auto segment = segments.rbegin();
  while ((*segment)->first_row > row) ++segment;
  return *segment;
}

std::string TraceWriter::State::header_text() const {
  Header facts = header;
  facts.emplace("capture.codec", name(options.codec));
  if (is_segmented()) {
    facts["segment.number"] = std::to_string(current().journal.map().head.segment);
    facts["segment.first_row"] = std::to_string(current().first_row);
  }
  return to_text(facts);
}

void TraceWriter::State::check_record(std::int64_t row, const Record& record,
                                      std::span<const std::byte> payload) const {
  const auto bytes = static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
  if (payload.data() != nullptr && payload.size() != bytes) {
    throw Error(ErrorCode::internal,
                "a payload of " + std::to_string(payload.size()) + " bytes for a tensor of " + std::to_string(bytes),
                {.file = target.string(), .record = to_string(record.id)});
  }
  for (std::int64_t producer : record.producers) {
    if (producer < 0 || producer >= row) {
      throw Error(ErrorCode::internal, "producer " + std::to_string(producer) + " is no earlier record",
                  {.file = target.string(), .record = to_string(record.id)});
    }
  }
}

void TraceWriter::State::check_row(std::int64_t row, const Record& record) const {
  if (row >= 0 && row < reserved && !rows.contains(row)) return;
  throw Error(ErrorCode::internal, "row " + std::to_string(row) + " is put twice or was not reserved",
              {.file = target.string(), .record = to_string(record.id)});
}

void TraceWriter::State::put(std::int64_t row, const Record& record, std::span<const std::byte> payload) {
  thread_local std::vector<std::byte> body;
  check_record(row, record, payload);
  encode_record(row, record, payload, body);
  const bool has_payload = payload.data() != nullptr || byte_count(record.shape, record.dtype) == 0;
  const ContentKey key{record.fingerprint.hash, record.dtype, payload.size()};
  SegmentPointer segment;
  bool is_known = payload.empty();
  {
    const std::lock_guard lock(mutex);
    check();
    check_row(row, record);
    segment = segment_of(row);
    is_known = is_known || segment->claims.find(key).has_value();
  }
  std::optional<JournalContent> content;
  if (!is_known) content = append_frames(record, payload, options.codec, segment->journal, mutex);
  put_entry(*segment, row, body, record, std::move(content), has_payload);
}

void TraceWriter::State::put_known(std::int64_t row, const Record& record) {
  thread_local std::vector<std::byte> body;
  check_record(row, record, {});
  encode_record(row, record, {}, body);
  SegmentPointer segment;
  {
    const std::lock_guard lock(mutex);
    check();
    check_row(row, record);
    segment = segment_of(row);
  }
  put_entry(*segment, row, body, record, std::nullopt, true);
}

void TraceWriter::State::put_entry(Segment& segment, std::int64_t row, std::span<std::byte> body, const Record& record,
                                   std::optional<JournalContent> content, bool has_payload) {
  const auto bytes = static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
  std::unique_lock lock(mutex);
  check();
  check_row(row, record);
  std::int64_t number = has_payload ? format::content_empty : format::content_none;
  if (has_payload && bytes > 0) number = number_of(segment, {record.fingerprint.hash, record.dtype, bytes}, content);
  set_content(body, number);
  segment.journal.append_record({format::EntryKind::record, body}, static_cast<std::uint64_t>(row - segment.first_row));
  rows.put(row);
  complete_commits();
  report_commits(lock);
}

// Another thread may have brought the same content meanwhile; then the frames just written are left alone.
std::int64_t TraceWriter::State::number_of(Segment& segment, const ContentKey& key,
                                           const std::optional<JournalContent>& content) {
  thread_local std::vector<std::byte> body;
  if (const auto known = segment.claims.find(key)) return static_cast<std::int64_t>(*known);
  if (!content)
    throw Error(ErrorCode::internal, "the content of a record is not in the file", {.file = target.string()});
  encode_content(*content, body);
  const std::uint64_t number = segment.journal.append_content({format::EntryKind::content, body});
  segment.claims.claim(key, number);
  payload_bytes += content->packed.size();
  for (const format::ChunkRow& frame : content->frames) payload_bytes += frame.bytes;
  return static_cast<std::int64_t>(number);
}

void TraceWriter::State::queue_commit(Switching switching) {
  const std::int64_t before = commits.empty() ? committed_rows : commits.back().rows;
  if (reserved > before) ++steps;
  open.rows = reserved;
  open.steps = steps;
  open.header = header_text();
  commits.push_back({segments.back(), reserved, std::exchange(open, {}), false});
  const bool is_full = is_segmented() && current().journal.size() >= options.segment_bytes;
  if (switching == Switching::by_size && is_full) {
    commits.back().ends_segment = true;
    begin_segment();
  }
}

void TraceWriter::State::complete_commits() {
  while (!commits.empty() && commits.front().rows <= rows.value()) {
    complete(commits.front());
    commits.pop_front();
  }
}

void TraceWriter::State::complete(OpenCommit& commit) {
  std::vector<std::byte> body;
  encode_commit(commit.body, body);
  commit.segment->journal.append_commit({format::EntryKind::commit, body});
  commit.segment->committed_calls += static_cast<std::int64_t>(commit.body.calls.size());
  committed_rows = commit.rows;
  committed_steps = commit.body.steps;
  unreported.push_back(payload_bytes - std::exchange(reported_bytes, payload_bytes));
  if (commit.ends_segment) seal_behind(commit.segment);
}

// One thread calls at a time, in order, without the lock: whoever calls back may hold locks of his own.
void TraceWriter::State::report_commits(std::unique_lock<std::mutex>& lock) {
  if (is_reporting || !options.committed) return;
  is_reporting = true;
  while (!unreported.empty()) {
    const std::uint64_t bytes = unreported.front();
    unreported.pop_front();
    lock.unlock();
    std::optional<Error> error;
    try {
      options.committed(bytes);
    } catch (const Error& thrown) {
      error = thrown;
    }
    lock.lock();
    if (error && !failure) failure = error;
  }
  is_reporting = false;
  if (failure) throw *failure;
}

// Behind the back of the recording; one segment after the other.
void TraceWriter::State::seal_behind(SegmentPointer segment) {
  segments.pop_front();
  const auto work = [this, segment = std::move(segment), before = sealing] {
    if (before.valid()) before.wait();
    try {
      seal_and_remove(*segment);
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = error;
    }
  };
  sealing = std::async(std::launch::async, work).share();
}

std::int64_t TraceWriter::State::add_text(TextPool& pool, SegmentTexts& local, std::vector<std::string>& added,
                                          const std::string& text) {
  check();
  const TextPool::Added result = pool.add(text);
  if (result.is_new) local.add(result.number, text, added);
  return result.number;
}

// A call of a segment that is finished stays as it is.
void TraceWriter::State::change(std::int64_t call_row, CallChange change) {
  const std::int64_t row = call_row - current().first_call;
  if (call_row < 0 || call_row >= call_count) throw Error(ErrorCode::internal, "no such call");
  if (row < 0) return;
  change.row = row;
  open.changes.push_back(std::move(change));
}

// What a finished recording says last, without the rows that were not committed. Their tapes and random states stay,
// because numbers count through.
void TraceWriter::State::queue_rest() {
  const SegmentPointer last = segments.front();
  commits.push_back({segments.back(), reserved, std::exchange(open, {}), false});
  JournalCommit rest{.rows = committed_rows, .steps = committed_steps};
  for (OpenCommit& commit : commits) {
    if (commit.segment != last) continue;
    std::move(commit.body.tapes.begin(), commit.body.tapes.end(), std::back_inserter(rest.tapes));
    std::move(commit.body.blobs.begin(), commit.body.blobs.end(), std::back_inserter(rest.blobs));
    for (CallChange& change : commit.body.changes) {
      if (change.row < last->committed_calls) rest.changes.push_back(std::move(change));
    }
  }
  while (segments.size() > 1) segments.pop_back();
  rest.header = header_text();
  commits.clear();
  commits.push_back({last, committed_rows, std::move(rest), false});
}

void TraceWriter::State::finish(Ending ending) {
  std::unique_lock lock(mutex);
  check();
  ending == Ending::every_row ? queue_commit(Switching::never) : queue_rest();
  complete_commits();
  if (!commits.empty()) {
    throw Error(ErrorCode::internal, "a reserved record was never put", {.file = target.string(), .record = {}});
  }
  lock.unlock();
  if (sealing.valid()) sealing.wait();
  if (failure) throw *failure;
  if (ending == Ending::every_row || current().journal.map().rows > 0) seal_and_remove(current());
}

// Committed steps are kept in the trace if there is none of that name, in the journal otherwise.
void TraceWriter::State::give_up(const Error& error) {
  if (sealing.valid()) sealing.wait();
  Segment& segment = *segments.front();
  if (segment.journal.map().rows == 0 || segment.is_kept) throw error;
  const std::string steps = std::to_string(committed_steps) + (committed_steps == 1 ? " step" : " steps");
  const std::string what = error.what();
  std::error_code ignored;
  if (!std::filesystem::exists(segment.target, ignored)) {
    try {
      seal_and_remove(segment);
    } catch (const Error&) {
      throw Error(error.code(), what + "; " + steps + " before that are kept; recover them with: " +
                                    recover_command(segment.journal.path()));
    }
    throw Error(error.code(), what + "; " + steps + " before that are in " + segment.target.string());
  }
  segment.journal.keep();
  throw Error(error.code(), what + "; " + steps +
                                " before that are kept; recover them with: " + recover_command(segment.journal.path()));
}

void TraceWriter::State::end(Ending ending) {
  try {
    finish(ending);
  } catch (const Error& error) {
    give_up(error);
  }
}

TraceWriter::TraceWriter(const std::filesystem::path& path, WriterOptions options)
    : state_(new State(path, std::move(options))) {}

// In a forked child the threads of the parent are not there to be waited for.
TraceWriter::~TraceWriter() {
  if (state_ && state_->is_forked()) static_cast<void>(state_.release());
}

Header& TraceWriter::header() { return alive(state_).header; }

std::int64_t TraceWriter::reserve() {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  state.check();
  return state.reserved++;
}

void TraceWriter::put(std::int64_t row, const Record& record, std::span<const std::byte> payload) {
  alive(state_).put(row, record, payload);
}

void TraceWriter::put_known(std::int64_t row, const Record& record) { alive(state_).put_known(row, record); }

std::int64_t TraceWriter::add(const Record& record, std::span<const std::byte> payload) {
  alive(state_).check_record(record_count(), record, payload);
  const std::int64_t row = reserve();
  state_->put(row, record, payload);
  return row;
}

std::int64_t TraceWriter::record_count() const {
  const std::lock_guard lock(alive(state_).mutex);
  return state_->reserved;
}

std::int64_t TraceWriter::add_tape(const Tape& tape) {
  const std::string text = to_text(tape);
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  return state.add_text(state.tapes, state.current().tapes, state.open.tapes, text);
}

std::int64_t TraceWriter::add_blob(std::span<const std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  return state.add_text(state.blobs, state.current().blobs, state.open.blobs, text);
}

std::int64_t TraceWriter::add_call(const LayerCall& call) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  LayerCall local = call;
  local.parent = std::max<std::int64_t>(-1, call.parent - state.current().first_call);
  local.tape = state.current().tapes.local(state.tapes, call.tape, state.open.tapes);
  local.random = state.current().blobs.local(state.blobs, call.random, state.open.blobs);
  state.open.calls.push_back(std::move(local));
  return state.call_count++;
}

void TraceWriter::set_tape(std::int64_t call_row, std::int64_t tape) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  const std::int64_t local = state.current().tapes.local(state.tapes, tape, state.open.tapes);
  state.change(call_row, {.kind = CallChange::Kind::tape, .tape = local});
}

void TraceWriter::set_replayable(std::int64_t call_row, Replayable replayable, std::string note) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  CallChange change{.kind = CallChange::Kind::replayable, .replayable = replayable};
  change.note = std::move(note);
  state.change(call_row, std::move(change));
}

std::uint64_t TraceWriter::payload_bytes() const {
  const std::lock_guard lock(alive(state_).mutex);
  return state_->payload_bytes;
}

void TraceWriter::commit() {
  State& state = alive(state_);
  std::unique_lock lock(state.mutex);
  state.check();
  state.queue_commit(Switching::by_size);
  state.complete_commits();
  state.report_commits(lock);
}

// Whatever happens, the writer ends here. The file of a forked child is its parent's.
void TraceWriter::close() {
  if (alive(state_).is_forked()) return static_cast<void>(state_.release());
  const std::unique_ptr<State> state = std::move(state_);
  state->end(Ending::every_row);
}

void TraceWriter::close_committed() {
  if (alive(state_).is_forked()) return static_cast<void>(state_.release());
  const std::unique_ptr<State> state = std::move(state_);
  state->end(Ending::committed_rows);
}

}  // namespace goldentrace
