// The global state that a run sets, given back at its end, also when an exception ends it.
#pragma once

#include <ATen/core/grad_mode.h>

#include <cstdint>

#include "models/cpu_random.h"

namespace goldentrace {

// Seeds the CPU generator, sets the number of threads (0: leave it) and switches gradients on. One at a time.
class RunScope {
 public:
  RunScope(std::uint64_t seed, int threads);
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  RandomScope random_;
  int threads_;
  at::AutoGradMode gradients_{true};
};

}  // namespace goldentrace
