// How a recording, or a segment of it, ends: sealed, or left in its journal.
#include <algorithm>
#include <iterator>
#include <utility>

#include "traces/journal_reader.h"
#include "traces/sealer.h"
#include "traces/trace_writer_state.h"

namespace goldentrace {
namespace {

void seal_copying(Segment& segment) {
  JournalReader reader(segment.journal.path());
  seal(reader, segment.journal.map(), segment.target);
  segment.journal.file().remove();
}

// The disk that the journal is on may be why no trace could be made of it.
std::string recover_elsewhere(const Segment& segment) {
  return recover_command(segment.journal.path()) + " -o ELSEWHERE";
}

// Makes a trace of a finished journal; when that fails the journal stays for `gtrace recover`.
void seal_journal(Segment& segment) {
  segment.journal.keep();
  segment.is_kept = true;
  try {
    can_seal_in_place(segment.journal) ? seal_in_place(segment.journal, segment.target) : seal_copying(segment);
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()) +
                                  "; the recording is in its journal; recover it with: " + recover_elsewhere(segment));
  }
}

}  // namespace

// Behind the back of the recording; one segment after the other.
void TraceWriter::State::seal_behind(SegmentPointer segment) {
  {
    const std::lock_guard lock(mutex);
    segments.pop_front();
  }
  const auto work = [this, segment = std::move(segment), before = sealing] {
    if (before.valid()) before.wait();
    try {
      seal_journal(*segment);
    } catch (const Error& error) {
      fail(error);
    }
  };
  sealing = std::async(std::launch::async, work).share();
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
  check();
  {
    const std::lock_guard writer(writing);
    {
      const std::lock_guard lock(mutex);
      ending == Ending::every_row ? queue_commit(Switching::never) : queue_rest();
    }
    complete_commits();
  }
  if (!commits.empty()) {
    throw Error(ErrorCode::internal, "a reserved record was never put", {.file = target.string(), .record = {}});
  }
  if (sealing.valid()) sealing.wait();
  check();
  if (ending == Ending::every_row || current().journal.map().rows > 0) seal_journal(current());
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
      seal_journal(segment);
    } catch (const Error&) {
      throw Error(error.code(),
                  what + "; " + steps + " before that are kept; recover them with: " + recover_elsewhere(segment));
    }
    throw Error(error.code(), what + "; " + steps + " before that are in " + segment.target.string());
  }
  segment.journal.keep();
  throw Error(error.code(),
              what + "; " + steps + " before that are kept; recover them with: " + recover_elsewhere(segment));
}

void TraceWriter::State::end(Ending ending) {
  try {
    finish(ending);
  } catch (const Error& error) {
    give_up(error);
  }
}

}  // namespace goldentrace
