// Appends entries to NAME.journal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "traces/file_rest.h"
#include "traces/hash.h"
#include "traces/journal_map.h"
#include "traces/locked_file.h"

namespace goldentrace {

// One entry to be. The body is borrowed; its hash is taken when this is made, outside any lock.
struct JournalEntry {
  JournalEntry(format::EntryKind kind, std::span<const std::byte> body) : JournalEntry(kind, body, piece_hash(body)) {}
  JournalEntry(format::EntryKind kind, std::span<const std::byte> body, Hash128 hash)
      : kind(kind), body(body), hash(hash) {}

  format::EntryKind kind;
  std::span<const std::byte> body;
  Hash128 hash;  // XXH3-128 of the body
};

// Held with flock. One thread at a time, but for what says otherwise: the trace writer's lock of the journal is held
// around each append.
class JournalWriter {
 public:
  // `head`: all but magic, version, sizes and hash. Errors of LockedFile; Error(incomplete) when an earlier recording
  // left committed steps under that name.
  JournalWriter(const std::filesystem::path& target, const format::JournalHead& head);
  ~JournalWriter();  // removes the journal unless keep() was called

  // Error(input_output) when the system refuses, now and at every later call; what was appended before stays. Returns
  // the address of the entry.
  std::uint64_t append(const JournalEntry& entry);
  std::uint64_t append_content(const JournalEntry& entry, std::uint64_t frame_bytes);  // returns its number
  // `row` of this segment, `content` as in the entry.
  void append_record(const JournalEntry& entry, std::uint64_t row, std::int64_t content);
  void append_commit(const JournalEntry& entry);
  // Bytes of frames that committed records refer to.
  std::uint64_t committed_frame_bytes() const;

  // The file becomes a trace itself: what lies behind the last commit goes, and behind the returned address anything
  // may be written; to a reader of journals it is a torn end. Tried again even after a failed write.
  // Error(input_output).
  std::uint64_t begin_seal();
  void undo_seal();  // a journal as before; unless it is a trace already

  const std::filesystem::path& path() const { return file_.path(); }
  const JournalMap& map() const { return map_; }
  std::uint64_t size() const { return size_; }  // any thread
  // What was appended since the last call, once that is worth it: then LockedFile::start_writeback, without any lock.
  std::optional<ByteRange> take_writeback();
  LockedFile& file() { return file_; }
  void keep() { keep_ = true; }

 private:
  struct ContentUse {
    std::uint64_t frame_bytes;
    std::uint64_t first_row;  // of this segment that refers to it
  };

  format::EntryHead entry_head(format::EntryKind kind, std::uint64_t bytes, Hash128 hash) const;

  LockedFile file_;
  JournalMap map_;
  std::vector<ContentUse> uses_;  // by content
  std::atomic<std::uint64_t> size_ = 0;
  std::uint64_t begun_writeback_ = 0;  // of everything before
  std::uint64_t sequence_ = 0;
  std::uint64_t sequence_of_end_ = 0;  // of what follows the last commit
  bool keep_ = false;
};

std::uint64_t new_number();  // that no other journal or run has

std::filesystem::path journal_of(const std::filesystem::path& target);

}  // namespace goldentrace
