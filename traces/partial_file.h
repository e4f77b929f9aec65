// NAME.partial while a trace is being written: locked, replaced or removed, never mistaken for a trace.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace goldentrace {

// Held with an exclusive flock until publish() or destruction. After the first failed write nothing more is written
// and failure() says why: a library on top of it can still close its own books. One thread at a time.
class PartialFile {
 public:
  // Error(input_output) when the target is no regular file or the folder refuses; Error(still_being_written) when
  // another process holds the lock. An unlocked leftover is emptied and taken over.
  explicit PartialFile(const std::filesystem::path& target);
  ~PartialFile();  // removes the file unless it was published
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return path_; }

  bool write(std::uint64_t address, std::span<const std::byte> bytes);  // false: see failure()
  bool read(std::uint64_t address, std::span<std::byte> bytes);         // bytes behind the end read as 0
  bool truncate(std::uint64_t size);
  std::uint64_t size() const;
  void abandon() { discard_ = true; }  // from now on writes are accepted and dropped

  const std::string& failure() const { return failure_; }  // empty: none
  void check() const;                                      // Error(input_output) after a failure
  void publish();                                          // fsync, rename, fsync of the folder

 private:
  void open_and_lock();
  bool lock();
  bool fail(const std::string& action, int error);
  // libhdf5 writes at the exit of a forked child, too; the file is its parent's.
  bool is_forked() const { return getpid() != owner_; }

  std::filesystem::path target_;
  std::filesystem::path path_;
  int file_ = -1;
  const pid_t owner_ = getpid();
  bool discard_ = false;
  std::string failure_;
};

}  // namespace goldentrace
