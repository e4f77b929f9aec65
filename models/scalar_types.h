// Element types of files as LibTorch's.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "traces/dtype.h"

namespace goldentrace {

// Nothing for a type that weights do not have.
inline std::optional<at::ScalarType> floating_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return at::kFloat;
    case DType::float64:
      return at::kDouble;
    case DType::float16:
      return at::kHalf;
    case DType::bfloat16:
      return at::kBFloat16;
    default:
      return std::nullopt;
  }
}

}  // namespace goldentrace
