// Patterns in the values of two tensors of equal shape. Elements are taken as doubles (complex: real parts).
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/compare.h"

namespace goldentrace {

// Half the distance of 1 to the next number of the type, the relative error of one rounding; 0 for exact types.
double rounding_unit(DType dtype);

// Distance between neighbours at the root mean square of a tensor of this norm and element count; 0 for exact types.
double unit_in_last_place(DType dtype, double norm, std::int64_t elements);

// || b - ratio a || over finite pairs.
double scale_residual(const TensorView& a, const TensorView& b, double ratio);

// c such that b = a + c for every element but for rounding; none when there is none or c is 0.
std::optional<double> constant_offset(const TensorView& a, const TensorView& b);

// The number that every element is, of two elements or more.
std::optional<double> repeated_number(const TensorView& tensor);

// The same elements in another order (by an order-independent hash).
bool is_permutation(const TensorView& a, const TensorView& b);

// Along the second to last axis every position but the last has elements that differ by more than rounding, the last
// none.
bool only_last_position_agrees(const TensorView& a, const TensorView& b);

// Where one sample of [samples, positions, …] differs by more than rounding at its first or its last positions only, and
// no other sample does.
struct DifferingEnds {
  std::int64_t sample = 0;
  std::int64_t first = 0, last = 0;  // positions
};
std::optional<DifferingEnds> only_ends_differ(const TensorView& a, const TensorView& b);

// Rows (slices along the last axis) that are zero in b and not in a; 0 when other rows differ as well.
std::int64_t rows_zeroed(const TensorView& a, const TensorView& b);

// Every element of b is the element of a rounded to bfloat16, and some were changed by it. float32 only.
bool is_rounded_to_bfloat16(const TensorView& a, const TensorView& b);

}  // namespace goldentrace
