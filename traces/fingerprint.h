// What is kept of every tensor, with or without its payload.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/hash.h"

namespace goldentrace {

// Over finite elements (complex: over real and imaginary parts as separate elements). In double precision.
// Without a finite element min, max, mean are 0. Boolean counts as 0 and 1; float8 has counts of 0 only.
struct Statistics {
  double min = 0;
  double max = 0;
  double mean = 0;
  double l2 = 0;  // Euclidean norm of the finite elements
  std::uint64_t nan_count = 0;
  std::uint64_t inf_count = 0;
  std::uint64_t zero_count = 0;

  bool operator==(const Statistics&) const = default;
};

// A linear CountSketch of the tensor (kernels/sketch.h), or the elements themselves for small tensors; empty when
// none was asked for or the dtype has no numeric meaning.
using Sketch = std::vector<double>;

struct Fingerprint {
  Hash128 hash;  // of the contiguous row-major bytes
  Statistics statistics;
  Sketch sketch;
};

}  // namespace goldentrace
