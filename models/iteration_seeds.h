// A seed of its own for each iteration of a loop.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace goldentrace {

// The seeds are the next draws of the CPU generator. At the end the generator goes on behind them, or stands where it
// stood when no iteration drew from it.
class IterationSeeds {
 public:
  explicit IterationSeeds(std::int64_t iterations);
  ~IterationSeeds();
  IterationSeeds(const IterationSeeds&) = delete;
  IterationSeeds& operator=(const IterationSeeds&) = delete;

  void begin(std::int64_t iteration);
  void end();  // of the iteration that was begun last

 private:
  at::Tensor before_, behind_, seeded_;
  std::vector<std::uint64_t> seeds_;
  bool used_ = false;
};

}  // namespace goldentrace
