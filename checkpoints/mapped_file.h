// A file mapped for reading: its pages are read when they are touched and never count as memory of the process's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace goldentrace {

// Opens a regular file for reading. Error: not_found, not_a_trace (a folder or device; `wanted` says what it should
// be: "a safetensors file"), damaged (empty), input_output.
int open_regular_file(const std::filesystem::path& path, const std::string& wanted, std::uint64_t& size);

// Safe from several threads. A file that another process cuts short while it is mapped ends this process with SIGBUS.
class MappedFile {
 public:
  // Errors of open_regular_file.
  MappedFile(const std::filesystem::path& path, const std::string& wanted);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }  // lives as long as this object

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace goldentrace
