// Appends entries to NAME.journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

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

// Held with flock. One thread at a time: the trace writer's lock is held around each append.
class JournalWriter {
 public:
  // `head`: all but magic, version, sizes and hash. Errors of LockedFile; Error(incomplete) when an earlier recording
  // left committed steps under that name.
  JournalWriter(const std::filesystem::path& target, const format::JournalHead& head);
  ~JournalWriter();  // removes the journal unless keep() was called

  // Error(input_output) when the system refuses, now and at every later call; what was appended before stays. Returns
  // the address of the entry.
  std::uint64_t append(const JournalEntry& entry);
  std::uint64_t append_content(const JournalEntry& entry);           // returns its number
  void append_record(const JournalEntry& entry, std::uint64_t row);  // of this segment
  void append_commit(const JournalEntry& entry);

  const std::filesystem::path& path() const { return file_.path(); }
  const JournalMap& map() const { return map_; }
  std::uint64_t size() const { return size_; }
  LockedFile& file() { return file_; }
  void keep() { keep_ = true; }

 private:
  LockedFile file_;
  JournalMap map_;
  std::uint64_t size_ = 0;
  std::uint64_t sequence_ = 0;
  bool keep_ = false;
};

std::filesystem::path journal_of(const std::filesystem::path& target);

}  // namespace goldentrace
