// Distance of floating-point numbers in units in the last place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/compare.h"
#include "traces/dtype.h"

namespace goldentrace {

// The distance of a[i] and b[i] is the number of representable numbers from one to the other: both bit patterns are
// mapped to integers that are in the order of the numbers (both zeros to 0) and subtracted. buckets[i] receives its
// bucket in Comparison::ulp_histogram; the largest distance is returned. `dtype`: float16, bfloat16, float32 or
// float64. No element may be NaN.
std::uint64_t find_ulp_buckets(const std::byte* a, const std::byte* b, DType dtype, std::size_t count,
                               std::uint8_t* buckets);

// Adds how often each bucket occurs.
void count_buckets(const std::uint8_t* buckets, std::size_t count, std::array<std::int64_t, ulp_buckets>& histogram);

// The dtype with fewer bits of fraction: the one in which a distance between mixed dtypes is counted.
DType coarser(DType a, DType b);

// Doubles rounded to nearest even in `dtype`, as its bytes.
void round_to(DType dtype, const double* values, std::size_t count, std::byte* bytes);

}  // namespace goldentrace
