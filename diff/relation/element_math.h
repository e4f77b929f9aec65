// Arithmetic on the elements of recorded tensors, rounded to their type after every step as the recorded run would.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "traces/dtype.h"

namespace goldentrace {

// float16, bfloat16, float32, float64: the only types that the functions below take; Error(usage) for others, naming
// `what`.
void require_floating(DType dtype, std::string_view what);

// Every element times k, computed in double and rounded once.
void scale_elements(std::span<std::byte> elements, DType dtype, double k);

// sum += other. When `other` has fewer elements it is repeated: the last axes of both must be the same.
void add_elements(std::span<std::byte> sum, std::span<const std::byte> other, DType dtype);

// To another floating type, rounded to nearest even.
std::vector<std::byte> cast_elements(std::span<const std::byte> elements, DType from, DType to);

// Sets the elements to 0 where both masks are exactly zero (of any floating type); equal element counts. Returns how
// many elements stayed.
std::size_t clear_masked(std::span<std::byte> elements, DType dtype, std::span<const std::byte> keep);

// 1 where an element is not zero, 0 where it is; NaN is not zero.
std::vector<std::byte> nonzero_elements(std::span<const std::byte> elements, DType dtype);

}  // namespace goldentrace
