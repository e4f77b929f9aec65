// Rows, contents and commits on their way into the journal.
#include "traces/trace_writer_state.h"

#include <utility>

#include "traces/header_text.h"
#include "traces/journal_record.h"
#include "traces/payload_encoder.h"

namespace goldentrace {
namespace {

// Random states that a later segment may still need.
constexpr std::size_t kept_blobs = 64;
constexpr std::size_t all = static_cast<std::size_t>(-1);

}  // namespace

TraceWriter::State::State(const std::filesystem::path& path, WriterOptions wanted)
    : options(std::move(wanted)),
      target(checked_target(path)),
      tapes(is_segmented() ? all : 0),
      blobs(is_segmented() ? kept_blobs : 0) {
  // Again with its own journal there: of two recorders that begin together at least one sees the other's.
  refuse_other_run(target, form());
  begin_segment();
  refuse_other_run(target, form());
}

void TraceWriter::State::check() const {
  if (has_failed) throw *failure;
}

void TraceWriter::State::fail(const Error& error) {
  const std::lock_guard lock(failing);
  if (has_failed) return;
  failure = error;
  has_failed = true;
}

void TraceWriter::State::begin_segment() {
  format::JournalHead head{.first_row = static_cast<std::uint64_t>(reserved.load())};
  head.codec = static_cast<std::uint32_t>(options.codec);
  head.segment = segment_count++;
  head.is_segment = is_segmented() ? 1 : 0;
  head.run = run;
  const std::filesystem::path file = is_segmented() ? segment_path(target, head.segment) : target;
  segments.push_back(std::make_shared<Segment>(file, head, call_count));
}

SegmentPointer TraceWriter::State::segment_of(std::int64_t row) const {
  const std::lock_guard lock(mutex);
  auto segment = segments.rbegin();
  while ((*segment)->first_row > row) ++segment;
  return *segment;
}

std::string TraceWriter::State::header_text() const {
  Header facts = header;
  facts.emplace("capture.codec", name(options.codec));
  if (is_segmented()) {
    facts["segment.number"] = std::to_string(current().journal.map().head.segment);
    facts["segment.run"] = run_text(run);
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

void TraceWriter::State::check_reserved(std::int64_t row, const Record& record) const {
  if (row >= 0 && row < reserved) return;
  throw Error(ErrorCode::internal, "row " + std::to_string(row) + " was not reserved",
              {.file = target.string(), .record = to_string(record.id)});
}

void TraceWriter::State::check_not_put(std::int64_t row, const Record& record) const {
  if (!rows.contains(row)) return;
  throw Error(ErrorCode::internal, "row " + std::to_string(row) + " is put twice",
              {.file = target.string(), .record = to_string(record.id)});
}

void TraceWriter::State::put(std::int64_t row, const Record& record, std::span<const std::byte> payload) {
  thread_local std::vector<std::byte> body;
  check_record(row, record, payload);
  encode_record(row, record, payload, body);
  const bool has_payload = payload.data() != nullptr || byte_count(record.shape, record.dtype) == 0;
  const ContentKey key{record.fingerprint.hash, record.dtype, payload.size()};
  check();
  check_reserved(row, record);
  const SegmentPointer segment = segment_of(row);
  std::optional<JournalContent> content;
  if (!payload.empty() && !segment->claims.find(key)) {
    content = appending([&] { return append_frames(record, payload, options.codec, segment->journal, writing); });
  }
  put_entry(*segment, row, body, record, std::move(content), has_payload);
}

void TraceWriter::State::put_known(std::int64_t row, const Record& record) {
  thread_local std::vector<std::byte> body;
  check_record(row, record, {});
  encode_record(row, record, {}, body);
  check();
  check_reserved(row, record);
  put_entry(*segment_of(row), row, body, record, std::nullopt, true);
}

void TraceWriter::State::put_entry(Segment& segment, std::int64_t row, std::span<std::byte> body, const Record& record,
                                   std::optional<JournalContent> content, bool has_payload) {
  const auto bytes = static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
  std::unique_lock lock(writing);
  check();
  check_not_put(row, record);
  std::int64_t number = has_payload ? format::content_empty : format::content_none;
  if (has_payload && bytes > 0) number = number_of(segment, {record.fingerprint.hash, record.dtype, bytes}, content);
  append_record(segment, row, body, number);
  complete_commits();
  report_commits(lock);
}

void TraceWriter::State::append_record(Segment& segment, std::int64_t row, std::span<std::byte> body,
                                       std::int64_t content) {
  set_content(body, content);
  const auto segment_row = static_cast<std::uint64_t>(row - segment.first_row);
  appending([&] { segment.journal.append_record({format::EntryKind::record, body}, segment_row, content); });
  rows.put(row);
}

// Another thread may have brought the same content meanwhile; then the frames just written are left alone.
std::int64_t TraceWriter::State::number_of(Segment& segment, const ContentKey& key,
                                           const std::optional<JournalContent>& content) {
  thread_local std::vector<std::byte> body;
  if (const auto known = segment.claims.find(key)) return static_cast<std::int64_t>(*known);
  if (!content)
    throw Error(ErrorCode::internal, "the content of a record is not in the file", {.file = target.string()});
  encode_content(*content, body);
  const std::uint64_t frame_bytes = content->frame_bytes();
  const std::uint64_t number = appending([&] {
    return segment.journal.append_content({format::EntryKind::content, body}, frame_bytes);
  });
  segment.claims.claim(key, number);
  payload_bytes += content->packed.size() + frame_bytes;
  return static_cast<std::int64_t>(number);
}

void TraceWriter::State::queue_commit(Switching switching) {
  if (reserved > queued_rows) ++steps;
  queued_rows = reserved;
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
  while (std::optional<OpenCommit> commit = take_complete()) complete(*commit);
}

std::optional<TraceWriter::State::OpenCommit> TraceWriter::State::take_complete() {
  const std::lock_guard lock(mutex);
  if (commits.empty() || commits.front().rows > rows.value()) return std::nullopt;
  OpenCommit first = std::move(commits.front());
  commits.pop_front();
  return first;
}

void TraceWriter::State::complete(OpenCommit& commit) {
  std::vector<std::byte> body;
  encode_commit(commit.body, body);
  appending([&] { commit.segment->journal.append_commit({format::EntryKind::commit, body}); });
  commit.segment->committed_calls += static_cast<std::int64_t>(commit.body.calls.size());
  committed_rows = commit.rows;
  committed_steps = commit.body.steps;
  unreported.push_back(payload_bytes - std::exchange(reported_bytes, payload_bytes.load()));
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
    try {
      options.committed(bytes);
    } catch (const Error& error) {
      fail(error);
    }
    lock.lock();
  }
  is_reporting = false;
  check();
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

}  // namespace goldentrace
