// LibTorch's element types and ours.
#pragma once

#include <c10/core/ScalarType.h>

#include "traces/dtype.h"

namespace goldentrace {

// Error(unsupported) for types that traces do not know (quantized, sub-byte).
DType to_dtype(at::ScalarType type);
// Error(unsupported) for DType::none.
at::ScalarType to_scalar_type(DType dtype);

}  // namespace goldentrace
