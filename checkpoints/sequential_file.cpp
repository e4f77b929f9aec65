#include "checkpoints/sequential_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "traces/error.h"

namespace goldentrace {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw Error(ErrorCode::input_output, std::strerror(errno), {.file = path.string(), .record = {}});
}

const std::filesystem::path& not_special(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(ErrorCode::usage, "exists and is no regular file", {.file = path.string(), .record = {}});
  return path;
}

}  // namespace

SequentialFile::SequentialFile(const std::filesystem::path& path)
    : target_(not_special(path)),
      partial_(path.string() + ".partial"),
      descriptor_(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_.get() < 0) fail(partial_);
}

SequentialFile::~SequentialFile() {
  if (!finished_) ::unlink(partial_.c_str());
}

void SequentialFile::write(std::span<const std::byte> bytes) {
  overwrite(position_, bytes);
  position_ += bytes.size();
}

void SequentialFile::overwrite(std::uint64_t position, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(partial_);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    position += static_cast<std::uint64_t>(count);
  }
}

void SequentialFile::finish() {
  if (::fsync(descriptor_.get()) != 0 || ::rename(partial_.c_str(), target_.c_str()) != 0) fail(target_);
  finished_ = true;
}

}  // namespace goldentrace
