// A progress bar on stderr for long work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/output_options.h"

namespace goldentrace {

// Draws nothing unless stderr is a terminal, the command is not quiet and the work has taken a while.
class Progress {
 public:
  Progress(std::string label, const OutputOptions& options);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_draw_;
};

}  // namespace goldentrace
