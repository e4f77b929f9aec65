// One element type for two tensors of different types of the same class, without loss.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/compare.h"
#include "traces/dtype.h"

namespace goldentrace {

// Whether values of the two types can be compared at all: the same type; two floating, two integer or two complex
// types. Boolean, float8 and the value None compare with their own type only.
bool comparable(DType a, DType b);

// A tensor that owns its widened elements.
struct Widened {
  DType dtype = DType::int64;
  std::vector<std::byte> bytes;
};

// Integer types become int64, complex types complex128. False for other types, and for a uint64 beyond int64.
bool widen(const TensorView& tensor, Widened& result);

}  // namespace goldentrace
