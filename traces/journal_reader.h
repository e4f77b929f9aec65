// Reads a journal: every entry checked, whatever the file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/error.h"
#include "traces/journal_commit.h"
#include "traces/journal_content.h"
#include "traces/journal_map.h"
#include "traces/journal_record.h"

namespace goldentrace {

// The first bytes that are no entry and are no torn end either.
struct JournalDamage {
  std::uint64_t address = 0;
  std::string what;
  std::uint64_t step = 0;       // in which it lies, counted from 1
  bool commits_follow = false;  // a valid commit lies behind it
};

struct JournalScan {
  JournalMap map;  // of everything before the damage or the torn end
  std::uint64_t bytes = 0;
  std::uint64_t torn_bytes = 0;  // behind the last commit: a step that was not completed
  bool is_sealing = false;       // that end is a trace in the making
  std::optional<JournalDamage> damage;
};

// One thread at a time.
class JournalReader {
 public:
  // Error: not_found, not_a_trace, damaged (the head), version, input_output.
  explicit JournalReader(const std::filesystem::path& path);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const format::JournalHead& head() const { return head_; }
  bool lock();  // false: its recorder holds it

  // Reads the whole file. `progress(done, total)` in bytes.
  JournalScan scan(const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

  // By the address of the entry. Error(damaged) naming the byte.
  JournalRecord record(std::uint64_t address);
  JournalContent content(std::uint64_t address);
  JournalCommit commit(std::uint64_t address);
  // The stored bytes of a frame of a content; valid until the next call of anything.
  std::span<const std::byte> frame(const format::ChunkRow& frame);

 private:
  friend class JournalScanner;

  struct Entry {
    format::EntryHead head;
    std::span<const std::byte> body;  // valid until the next read
    std::uint64_t end = 0;            // where the next entry begins
  };

  void open_file();
  void check_head();
  Entry entry(std::uint64_t address);  // any kind, checked; Error(damaged)
  Entry entry(std::uint64_t address, format::EntryKind kind);
  std::span<const std::byte> read(std::uint64_t address, std::uint64_t bytes);
  void read_exactly(std::uint64_t address, std::span<std::byte> bytes) const;
  [[noreturn]] void refuse(std::uint64_t address, const std::string& what, ErrorCode code = ErrorCode::damaged) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  format::JournalHead head_;
  std::vector<std::byte> buffer_;  // holds the file's bytes from buffer_first_
  std::uint64_t buffer_first_ = 0;
  std::size_t buffer_bytes_ = 0;
};

// How many steps an unlocked journal holds; 0 also for a file that is no journal.
std::uint64_t committed_steps(const std::filesystem::path& journal);

std::string recover_command(const std::filesystem::path& journal);  // "gtrace recover run.h5.journal"

}  // namespace goldentrace
