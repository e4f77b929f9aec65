// What a recording says at its end. Free of LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "cli/output_options.h"

namespace goldentrace {

// Reads the sealed trace and prints "run.h5: 1.2 MB, 8 steps, 960 records; replayable: 5 of 5 layers", or the
// document goldentrace.record/1.
void print_summary(const std::filesystem::path& trace, const OutputOptions& options);

// What an interrupted recording left: made before it starts, asked when it has been closed.
class CommittedSteps {
 public:
  explicit CommittedSteps(std::filesystem::path trace);

  // "2 committed steps are in run.h5" or "no step was committed, nothing was written". Does not throw.
  std::string text() const;
  bool any() const;  // a new trace is there

 private:
  // Which file lies under the name; a new trace is a new file.
  static std::pair<std::uint64_t, std::uint64_t> identity(const std::filesystem::path& path);

  std::filesystem::path trace_;
  std::pair<std::uint64_t, std::uint64_t> before_;
};

}  // namespace goldentrace
