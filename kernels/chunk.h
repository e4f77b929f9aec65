// One cache-sized chunk of a tensor: partial statistics, and its elements as signed doubles for the sketch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/dtype.h"

namespace goldentrace {

inline constexpr std::size_t chunk_elements = 1024;  // real elements; 8 KiB as double

// Sums over the finite elements of a part of a tensor. Parts add up.
struct PartialStatistics {
  double sum = 0;
  double squares = 0;
  double min = 0;  // meaningless while `finite` is 0
  double max = 0;
  std::uint64_t finite = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t zero = 0;
};

void add(PartialStatistics& total, const PartialStatistics& part);

// Reads `count` <= chunk_elements real elements of `real_dtype` (no complex, no float8) whose number in the tensor
// starts at `first`, a multiple of 64. `signed_values` receives the finite ones with their sketch sign, others as 0.
PartialStatistics read_chunk(const std::byte* bytes, DType real_dtype, std::uint64_t first, std::size_t count,
                             double* signed_values);

// Sum and sum of squares of the finite elements divided by 2^exponent; for squares that leave the range of double.
struct ScaledSums {
  double sum = 0;
  double squares = 0;
};
ScaledSums scaled_sums(const std::byte* bytes, DType real_dtype, std::size_t count, int exponent);

}  // namespace goldentrace
