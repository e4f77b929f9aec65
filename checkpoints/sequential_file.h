// A file that is written from front to back under a temporary name and appears under its own only when it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "checkpoints/file_descriptor.h"

namespace goldentrace {

// One thread at a time.
class SequentialFile {
 public:
  // Writes NAME.partial. Error(usage) when `path` is there and no regular file, Error(input_output) when the folder
  // refuses.
  explicit SequentialFile(const std::filesystem::path& path);
  ~SequentialFile();  // removes the file unless it was finished
  SequentialFile(const SequentialFile&) = delete;
  SequentialFile& operator=(const SequentialFile&) = delete;

  std::uint64_t position() const { return position_; }
  void write(std::span<const std::byte> bytes);                              // Error(input_output)
  void overwrite(std::uint64_t position, std::span<const std::byte> bytes);  // of bytes that were written
  void finish();                                                             // fsync and rename

 private:
  std::filesystem::path target_, partial_;
  FileDescriptor descriptor_;
  std::uint64_t position_ = 0;
  bool finished_ = false;
};

}  // namespace goldentrace
