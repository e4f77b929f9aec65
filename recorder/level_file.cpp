#include "recorder/level_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "traces/file_kind.h"

namespace goldentrace {
namespace {

constexpr std::string_view blank = " \t\r\n\v\f";
constexpr std::size_t longest_word = 32;

class Descriptor {
 public:
  // Without waiting for the other end of a pipe.
  explicit Descriptor(const std::filesystem::path& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int operator*() const { return file_; }

 private:
  int file_;
};

std::string_view first_word(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  return text.substr(0, std::min(text.find_first_of(blank), longest_word));
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

// A pipe or a device may wait, or do something, when it is opened.
std::string special_kind(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return exists(status) && !is_regular_file(status) ? "is " + kind_of_file(status.type()) : "";
}

}  // namespace

std::optional<LevelFile::Stamp> LevelFile::read() {
  if (const std::string kind = special_kind(path_); !kind.empty()) {
    trouble_ = kind;
    return std::nullopt;
  }
  const Descriptor file(path_);
  struct stat facts {};
  std::array<char, 4096> text{};
  const bool found = *file >= 0 || errno != ENOENT;
  const ssize_t count = *file >= 0 && fstat(*file, &facts) == 0 ? ::read(*file, text.data(), text.size()) : -1;
  if (count < 0) {
    if (found) trouble_ = std::strerror(errno);
    return std::nullopt;
  }
  return Stamp{.device = facts.st_dev,
               .inode = facts.st_ino,
               .written = nanoseconds(facts.st_mtim),
               .changed = nanoseconds(facts.st_ctim),
               .size = facts.st_size,
               .word = std::string(first_word({text.data(), static_cast<std::size_t>(count)}))};
}

std::string LevelFile::new_word() {
  std::optional<Stamp> sight = read();
  // No word: its writer is not done yet.
  if (!sight || sight->word.empty() || sight == seen_) return "";
  seen_ = std::move(sight);
  return seen_->word;
}

}  // namespace goldentrace
