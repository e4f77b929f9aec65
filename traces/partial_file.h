// NAME.partial while a trace is being sealed: locked, replaced or removed, never mistaken for a trace.
#pragma once

#include <filesystem>

#include "traces/locked_file.h"

namespace goldentrace {

// One thread at a time.
class PartialFile : public LockedFile {
 public:
  // Errors of LockedFile. An unlocked leftover is emptied and taken over; Error(input_output) for a
  // file that is none. `target` is a checked_target().
  explicit PartialFile(const std::filesystem::path& target);
  ~PartialFile();  // removes the file unless it was published

  const std::filesystem::path& target() const { return target_; }
  void publish();

 private:
  void refuse_other_file();

  std::filesystem::path target_;
  bool published_ = false;
};

}  // namespace goldentrace
