// What a trace writer keeps between calls; shared by the files that implement it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/error.h"
#include "traces/journal_commit.h"
#include "traces/journal_content.h"
#include "traces/row_frontier.h"
#include "traces/run_files.h"
#include "traces/segment.h"
#include "traces/trace_writer.h"

namespace goldentrace {

using SegmentPointer = std::shared_ptr<Segment>;

enum class Ending { every_row, committed_rows };
enum class Switching { by_size, never };  // to a new segment

// Two locks. `writing` is held around appends to journals, and so during writes of the system; `mutex` around what the
// threads that add calls, tapes and commits need, and never during a write: these do not wait for the disk. Who needs
// both takes `writing` first. Neither is held while payloads are compressed, segments sealed and listeners called.
struct TraceWriter::State {
  State(const std::filesystem::path& path, WriterOptions wanted);

  struct OpenCommit {
    SegmentPointer segment;
    std::int64_t rows = 0;
    JournalCommit body;
    bool ends_segment = false;
  };

  bool is_forked() const { return segments.front()->journal.file().is_forked(); }
  bool is_segmented() const { return options.segment_bytes > 0; }
  RunForm form() const { return is_segmented() ? RunForm::segments : RunForm::one_file; }
  Segment& current() const { return *segments.back(); }
  void check() const;             // Error of the first failure; waits for nobody before there is one
  void fail(const Error& error);  // the first one counts
  // What `append` returns; when it throws the writer has failed.
  template <typename Append>
  auto appending(const Append& append) {
    try {
      return append();
    } catch (const Error& error) {
      fail(error);
      throw;
    }
  }
  void check_record(std::int64_t row, const Record& record, std::span<const std::byte> payload) const;
  void check_reserved(std::int64_t row, const Record& record) const;
  void check_not_put(std::int64_t row, const Record& record) const;  // with `writing`
  SegmentPointer segment_of(std::int64_t row) const;                 // takes `mutex`
  void begin_segment();
  std::string header_text() const;

  void put(std::int64_t row, const Record& record, std::span<const std::byte> payload);
  void put_known(std::int64_t row, const Record& record);
  void put_entry(Segment& segment, std::int64_t row, std::span<std::byte> body, const Record& record,
                 std::optional<JournalContent> content, bool has_payload);
  // With `writing`:
  void append_record(Segment& segment, std::int64_t row, std::span<std::byte> body, std::int64_t content);
  std::int64_t number_of(Segment& segment, const ContentKey& key, const std::optional<JournalContent>& content);

  void complete_commits();
  std::optional<OpenCommit> take_complete();
  void complete(OpenCommit& commit);
  void report_commits(std::unique_lock<std::mutex>& lock);
  void seal_behind(SegmentPointer segment);

  // With `mutex`:
  void queue_commit(Switching switching);
  std::int64_t add_text(TextPool& pool, SegmentTexts& local, std::vector<std::string>& added, const std::string& text);
  void change(std::int64_t call_row, CallChange change);
  void queue_rest();  // with `writing` too

  void end(Ending ending);
  void finish(Ending ending);
  [[noreturn]] void give_up(const Error& error);

  const WriterOptions options;
  const std::filesystem::path target;
  const std::uint64_t run = new_number();
  Header header;
  std::atomic<std::int64_t> reserved = 0;
  std::atomic<std::uint64_t> payload_bytes = 0;
  std::mutex failing;
  std::optional<Error> failure;  // never changes once has_failed is set
  std::atomic<bool> has_failed = false;

  mutable std::mutex mutex;
  std::deque<SegmentPointer> segments;  // the last one takes new rows; earlier ones wait for theirs
  std::uint32_t segment_count = 0;
  std::int64_t call_count = 0;
  TextPool tapes, blobs;
  JournalCommit open;  // since the last commit()
  std::deque<OpenCommit> commits;
  std::int64_t queued_rows = 0;  // of all commits, the appended ones included
  std::uint64_t steps = 0;       // commits that brought rows, the queued ones included

  std::mutex writing;  // everything below, and the segments' journals
  RowFrontier rows;
  std::int64_t committed_rows = 0;
  std::uint64_t committed_steps = 0;
  std::uint64_t reported_bytes = 0;
  std::deque<std::uint64_t> unreported;
  bool is_reporting = false;
  std::shared_future<void> sealing;
};

}  // namespace goldentrace
