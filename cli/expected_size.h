// What a recording is going to take on the disk, said once its first step is written.
#pragma once

#include <atomic>
#include <cstdint>

#include "cli/record_options.h"

namespace goldentrace {

// Speaks on stderr, on a terminal or when asked to be verbose.
class ExpectedSize {
 public:
  // `steps`: of the whole run; 0: not known.
  ExpectedSize(const RecordOptions& options, std::int64_t steps);

  // From any thread. `bytes`: of payload that the step added.
  void step_written(std::int64_t step, std::uint64_t bytes) noexcept;

 private:
  std::atomic<bool> silent_;
  const std::int64_t steps_;
  const std::filesystem::path output_;
};

// "run.h5: the first step takes 1.2 MB; 64 steps take about 76.8 MB, 120.0 GB are free".
std::string expected_size_text(const std::filesystem::path& output, std::uint64_t step_bytes, std::int64_t steps,
                               std::uint64_t free_bytes);

}  // namespace goldentrace
