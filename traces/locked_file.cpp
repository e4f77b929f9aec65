#include "traces/locked_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "traces/error.h"
#include "traces/file_kind.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::strerror(error); }

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

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
    while (failed && sigtimedwait(&signals_, nullptr, &at_once) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

  bool failed = false;  // only then a signal may wait

 private:
  sigset_t signals_;
  sigset_t before_;
};

}  // namespace

LockedFile::LockedFile(fs::path path, fs::path named) : path_(std::move(path)), named_(std::move(named)) {
  open_and_lock();
}

// The lock is on the file that was opened; its name may have been renamed or removed meanwhile.
void LockedFile::open_and_lock() {
  for (int attempt = 0; attempt < 20; ++attempt) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file_ < 0) refuse_kind_or(errno);
    struct stat opened {};
    struct stat named {};
    if (fstat(file_, &opened) == 0 && !S_ISREG(opened.st_mode)) {
      release();
      refuse_kind_or(0);
    }
    const bool same = lock() && fstat(file_, &opened) == 0 && stat(path_.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    if (same) return;
    close(file_);
    file_ = -1;
    // A reader that asks whether the file is locked holds it for an instant.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Error(ErrorCode::still_being_written, "another recorder holds the lock; wait for it or write elsewhere",
              {.file = path_.string()});
}

void LockedFile::refuse_kind_or(int error) const {
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(path_, ignored).type();
  const bool is_other_kind =
      fs::exists(path_, ignored) && type != fs::file_type::regular && type != fs::file_type::symlink;
  throw Error(ErrorCode::input_output,
              is_other_kind ? "is " + kind_of_file(type) + " in the way of the recording; remove it or write elsewhere"
                            : "cannot create the file: " + reason(error),
              {.file = path_.string()});
}

bool LockedFile::lock() { return flock(file_, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == ENOTSUP; }

LockedFile::~LockedFile() { release(); }

void LockedFile::release() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

void LockedFile::remove() {
  if (!is_forked()) unlink(path_.c_str());
}

bool LockedFile::fail(const std::string& action, int error) {
  if (failure_.empty()) failure_ = "cannot " + action + ": " + reason(error);
  discard_ = true;
  return false;
}

bool LockedFile::write(std::uint64_t address, std::span<const std::byte> bytes) {
  return write(address, std::span(&bytes, 1));
}

bool LockedFile::write(std::uint64_t address, std::span<const std::span<const std::byte>> pieces) {
  if (discard_ || is_forked()) return failure_.empty();
  FileSizeSignalBlocked blocked;
  std::array<iovec, 16> vectors{};
  std::size_t skipped = 0;  // bytes of the first piece that are written already
  while (!pieces.empty()) {
    const std::size_t count = std::min(pieces.size(), vectors.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const std::byte> piece = i == 0 ? pieces[0].subspan(skipped) : pieces[i];
      vectors[i] = {const_cast<std::byte*>(piece.data()), piece.size()};
    }
    ssize_t done = pwritev(file_, vectors.data(), static_cast<int>(count), static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    blocked.failed = done < 0;
    if (done < 0) return fail("write", errno);
    address += static_cast<std::uint64_t>(done);
    auto left = static_cast<std::size_t>(done) + skipped;
    while (!pieces.empty() && left >= pieces[0].size()) {
      left -= pieces[0].size();
      pieces = pieces.subspan(1);
    }
    if (done == 0 && !pieces.empty()) return fail("write", ENOSPC);
    skipped = left;
  }
  return true;
}

bool LockedFile::read(std::uint64_t address, std::span<std::byte> bytes) {
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

bool LockedFile::truncate(std::uint64_t size) {
  if (discard_ || is_forked()) return failure_.empty();
  FileSizeSignalBlocked blocked;
  blocked.failed = ftruncate(file_, static_cast<off_t>(size)) != 0;
  return !blocked.failed || fail("set the size of the file", errno);
}

void LockedFile::retry() {
  failure_.clear();
  discard_ = false;
}

void LockedFile::roll_back(std::span<const std::byte> first, std::uint64_t size) {
  if (is_forked()) return;
  const std::string before = std::exchange(failure_, {});
  discard_ = false;
  static_cast<void>(truncate(size) && write(0, first));
  if (!before.empty()) failure_ = before;
  discard_ = true;
}

void LockedFile::start_writeback(std::uint64_t address, std::uint64_t bytes) const {
  sync_file_range(file_, static_cast<off_t>(address), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
}

bool LockedFile::is_on_file_system_of(const fs::path& target) const {
  struct stat here {};
  struct stat there {};
  return fstat(file_, &here) == 0 && stat(folder_of(target).c_str(), &there) == 0 && here.st_dev == there.st_dev;
}

void LockedFile::publish(const fs::path& target) {
  check();
  sync();
  check();
  if (rename(path_.c_str(), target.c_str()) != 0) fail("rename", errno);
  check();
  release();
  sync_folder(target);
}

bool LockedFile::sync() { return fsync(file_) == 0 || fail("write to the disk", errno); }

std::uint64_t LockedFile::size() const {
  struct stat status {};
  return fstat(file_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

void LockedFile::check() const {
  if (!failure_.empty()) throw Error(ErrorCode::input_output, failure_, {.file = named_.string()});
}

fs::path checked_target(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return path;
  if (status.type() == fs::file_type::none) {
    throw Error(ErrorCode::input_output, "cannot open: " + error.message(), {.file = path.string()});
  }
  if (status.type() != fs::file_type::regular) {
    throw Error(ErrorCode::input_output, "is " + kind_of_file(status.type()) + "; name a file that can be replaced",
                {.file = path.string()});
  }
  return fs::is_symlink(path, error) ? fs::canonical(path) : path;
}

void sync_folder(const fs::path& file) {
  const int opened = open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  fsync(opened);
  close(opened);
}

}  // namespace goldentrace
