// What a trace writer keeps between calls; shared by the files that implement it.
#pragma once

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
#include "traces/segment.h"
#include "traces/trace_writer.h"

namespace goldentrace {

using SegmentPointer = std::shared_ptr<Segment>;

enum class Ending { every_row, committed_rows };
enum class Switching { by_size, never };  // to a new segment

// `mutex` guards all of it; it is not held while payloads are compressed, segments sealed and listeners called.
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

}  // namespace goldentrace
