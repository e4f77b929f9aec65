// LibTorch's element types and ours.
#pragma once

#include <c10/core/ScalarType.h>

#include "traces/dtype.h"

namespace goldentrace {

// Error(unsupported) for types that traces do not know (quantized, sub-byte).
DType to_dtype(at::ScalarType type);
// Error(unsupported) for DType::none.
at::ScalarType to_scalar_type(DType dtype);

// What a tensor of `type` becomes when floating tensors move to `dtype`: floating ones `dtype`, complex ones its
// complex partner, others stay. none: all stay. Error(unsupported) for a complex tensor when `dtype` has no complex
// partner.
at::ScalarType moved_to(at::ScalarType type, DType dtype);

}  // namespace goldentrace
