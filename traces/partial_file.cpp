#include "traces/partial_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "traces/error.h"
#include "traces/format.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::strerror(error); }

// A write beyond RLIMIT_FSIZE raises SIGXFSZ, which ends the process by default. Within this scope the write fails with
// EFBIG instead.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~FileSizeSignalBlocked() {
    if (sigismember(&before_, SIGXFSZ) == 1) return;
    const timespec at_once{};
    while (sigtimedwait(&signals_, nullptr, &at_once) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

 private:
  sigset_t signals_;
  sigset_t before_;
};

// A link to a regular file stays a link: the file behind it is replaced.
fs::path checked_target(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return path;
  if (status.type() != fs::file_type::regular) {
    throw Error(ErrorCode::input_output, "is no regular file; name a file that can be replaced",
                {.file = path.string()});
  }
  return fs::is_symlink(path, error) ? fs::canonical(path) : path;
}

}  // namespace

PartialFile::PartialFile(const fs::path& target) : target_(checked_target(target)), path_(target_) {
  path_ += std::string(format::partial_suffix);
  open_and_lock();
  if (ftruncate(file_, 0) != 0) {
    const int error = errno;
    close(file_);
    throw Error(ErrorCode::input_output, "cannot empty the file: " + reason(error), {.file = path_.string()});
  }
}

// The lock is on the file that was opened; its name may have been renamed or removed meanwhile.
void PartialFile::open_and_lock() {
  for (int attempt = 0; attempt < 20; ++attempt) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0) {
      throw Error(ErrorCode::input_output, "cannot create the file: " + reason(errno), {.file = path_.string()});
    }
    struct stat opened {};
    struct stat named {};
    const bool same = lock() && fstat(file_, &opened) == 0 && stat(path_.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    if (same && S_ISREG(opened.st_mode)) return;
    close(file_);
    file_ = -1;
    // A reader that asks whether the file is locked holds it for an instant.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Error(ErrorCode::still_being_written, "another recorder holds the lock; wait for it or write elsewhere",
              {.file = path_.string()});
}

bool PartialFile::lock() { return flock(file_, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == ENOTSUP; }

PartialFile::~PartialFile() {
  if (file_ < 0) return;
  if (!is_forked()) unlink(path_.c_str());
  close(file_);
}

bool PartialFile::fail(const std::string& action, int error) {
  if (failure_.empty()) failure_ = "cannot " + action + ": " + reason(error);
  discard_ = true;
  return false;
}

bool PartialFile::write(std::uint64_t address, std::span<const std::byte> bytes) {
  if (discard_ || is_forked()) return failure_.empty();
  const FileSizeSignalBlocked blocked;
  while (!bytes.empty()) {
    const ssize_t done = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return fail("write", done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    address += static_cast<std::uint64_t>(done);
  }
  return true;
}

bool PartialFile::read(std::uint64_t address, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail("read", errno);
    if (done == 0) {
      std::memset(bytes.data(), 0, bytes.size());
      return true;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    address += static_cast<std::uint64_t>(done);
  }
  return true;
}

bool PartialFile::truncate(std::uint64_t size) {
  if (discard_ || is_forked()) return failure_.empty();
  const FileSizeSignalBlocked blocked;
  return ftruncate(file_, static_cast<off_t>(size)) == 0 || fail("set the size of the file", errno);
}

std::uint64_t PartialFile::size() const {
  struct stat status {};
  return fstat(file_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

void PartialFile::check() const {
  if (!failure_.empty()) throw Error(ErrorCode::input_output, failure_, {.file = target_.string()});
}

void PartialFile::publish() {
  check();
  if (fsync(file_) != 0) fail("write to the disk", errno);
  check();
  if (rename(path_.c_str(), target_.c_str()) != 0) fail("rename", errno);
  check();
  close(file_);
  file_ = -1;
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;  // a folder that may be written but not read
  fsync(opened);
  close(opened);
}

}  // namespace goldentrace
