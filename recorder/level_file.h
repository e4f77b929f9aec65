// A file in which a word may stand that a user writes while a program runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace goldentrace {

// Whatever the path names, a look never waits and reads a few kB at most. One thread.
class LevelFile {
 public:
  explicit LevelFile(std::filesystem::path path) : path_(std::move(path)) {}

  // The first word of a file that has been written since the last look, or 32 bytes of it; empty: there is none.
  std::string new_word();
  // Why the last look that failed did: "is a pipe", "Permission denied"; empty: none did, or nothing was there.
  const std::string& trouble() const { return trouble_; }

 private:
  // Two looks at the same file see the same; all times in nanoseconds.
  struct Stamp {
    std::uint64_t device, inode;
    std::int64_t written, changed, size;
    std::string word;
    bool operator==(const Stamp&) const = default;
  };
  std::optional<Stamp> read();

  const std::filesystem::path path_;
  std::optional<Stamp> seen_;
  std::string trouble_;
};

}  // namespace goldentrace
