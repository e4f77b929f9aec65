// Distance of floating-point numbers in units in the last place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/dtype.h"

namespace goldentrace {

// distances[i] = how many representable numbers lie from a[i] to b[i]: both bit patterns are mapped to integers that
// are in the order of the numbers (both zeros to 0) and subtracted. `dtype`: float16, bfloat16, float32 or float64.
// A NaN gives a meaningless distance.
void ulp_distances(const std::byte* a, const std::byte* b, DType dtype, std::size_t count, std::uint64_t* distances);

// The dtype with fewer bits of fraction: the one in which a distance between mixed dtypes is counted.
DType coarser(DType a, DType b);

// Doubles rounded to nearest even in `dtype`, as its bytes.
void round_to(DType dtype, const double* values, std::size_t count, std::byte* bytes);

}  // namespace goldentrace
