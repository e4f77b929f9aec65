// The op that stands on a tape for memory that a program made without saying what is in it.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "traces/tape.h"

namespace goldentrace {

// aten::empty_strided with the present sizes, strides, dtype and device of a tensor.
TapeOp fresh_memory_op(const at::Tensor& tensor, ValueIndex result, const std::string& label);

}  // namespace goldentrace
