// Tensor elements as doubles, for reading. Complex elements give two numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "traces/dtype.h"

namespace goldentrace {

// How many numbers `bytes` bytes hold; 0 for dtypes without numeric meaning (none, float8).
std::size_t numbers_in(std::size_t bytes, DType dtype);

// Exact but for 64-bit integers beyond 2^53. Bytes behind the last whole element are ignored; unaligned allowed.
std::vector<double> to_numbers(std::span<const std::byte> bytes, DType dtype);

}  // namespace goldentrace
