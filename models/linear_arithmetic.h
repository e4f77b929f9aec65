// How linear layers multiply.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/half_mode.h"

namespace goldentrace {

enum class LinearOperands {
  full,  // as they are
  tf32,  // float32 rounded to 10 bits of mantissa, sums in float32: what GPUs do where TF32 is allowed
};

struct LinearArithmetic {
  HalfMode half_mode = HalfMode::native;
  LinearOperands operands = LinearOperands::full;
};

// The tensor as an operand of a product. Of float32 only; gradients pass through the rounding.
at::Tensor operand(LinearOperands operands, const at::Tensor& tensor);

// y = x W^T + bias over the last dimension as one linear; `bias` may be undefined.
at::Tensor linear(const LinearArithmetic& arithmetic, const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);

// initial + x_1 W_1^T + x_2 W_2^T + …, the product by `ranks` slices of the inner dimension, summed in their order:
// what tensor-parallel ranks do. An undefined `initial` leaves it out.
at::Tensor sliced_linear(const LinearArithmetic& arithmetic, const at::Tensor& x, const at::Tensor& weight,
                         std::int64_t ranks, const at::Tensor& initial);

// linear with W [in, out], as one addmm or mm of the rows.
at::Tensor conv1d(const LinearArithmetic& arithmetic, const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias);

}  // namespace goldentrace
