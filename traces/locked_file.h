// A file that is being written: created, held with an exclusive flock, its first failure kept.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace goldentrace {

// After the first failed write nothing more is written and failure() says why: a library on top of it can still close
// its own books. A forked child writes nothing: the file is its parent's. One thread at a time.
class LockedFile {
 public:
  // Error(input_output) when the folder refuses; Error(still_being_written) when another process holds the lock.
  // What an unlocked leftover held is still there. `named`: the file that messages about failed writes name.
  LockedFile(std::filesystem::path path, std::filesystem::path named);
  ~LockedFile();  // gives the lock back; the file stays
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  bool write(std::uint64_t address, std::span<const std::byte> bytes);  // false: see failure()
  // Several pieces one behind the other, in one call of the system where it accepts that.
  bool write(std::uint64_t address, std::span<const std::span<const std::byte>> pieces);
  bool read(std::uint64_t address, std::span<std::byte> bytes);  // bytes behind the end read as 0
  bool truncate(std::uint64_t size);
  bool sync();
  std::uint64_t size() const;
  void abandon() { discard_ = true; }  // from now on writes are accepted and dropped
  void retry();                        // forgets a failure: the next write is tried
  // What was there before, also after a failure: `first` at the beginning, nothing behind `size`. May fail silently.
  void roll_back(std::span<const std::byte> first, std::uint64_t size);
  // Asks the system to begin writing this range to the disk; beside writes of other threads.
  void start_writeback(std::uint64_t address, std::uint64_t bytes) const;
  bool is_on_file_system_of(const std::filesystem::path& target) const;  // of its folder
  // fsync, rename to `target`, fsync of the folder; gives the lock back. Error(input_output).
  void publish(const std::filesystem::path& target);
  void remove();  // the name; unless forked

  const std::string& failure() const { return failure_; }  // empty: none
  void check() const;                                      // Error(input_output) after a failure
  bool is_forked() const { return getpid() != owner_; }    // this process is a child of the one that opened the file

 protected:
  void release();  // the lock

 private:
  bool fail(const std::string& action, int error);
  void open_and_lock();
  [[noreturn]] void refuse_kind_or(int error) const;  // names what the path is when it is no file
  bool lock();

  std::filesystem::path path_;
  std::filesystem::path named_;
  int file_ = -1;
  const pid_t owner_ = getpid();
  bool discard_ = false;
  std::string failure_;
};

// The path itself, or the regular file behind a link: a link stays a link, what it names is replaced.
// Error(input_output) when it exists and is no regular file.
std::filesystem::path checked_target(const std::filesystem::path& path);

// Makes a rename or removal in the folder of `file` survive a loss of power, where the folder can be read.
void sync_folder(const std::filesystem::path& file);

}  // namespace goldentrace
