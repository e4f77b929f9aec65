// A folder for files that are needed while a command runs.
#pragma once

#include <filesystem>

namespace goldentrace {

// Made in the system's folder for temporary files, removed with its content. Error(input_output) when it cannot be.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace goldentrace
