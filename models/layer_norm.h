// Layer norms of the GPTs and how they round in half types.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/half_mode.h"
#include "models/linear_init.h"

namespace goldentrace {

enum class LnVariant {
  library,           // LibTorch's kernel in the model's type
  honest,            // moments and affine in float32, one rounding; the result has the type of gamma
  half_moments,      // mean and inverse deviation rounded to the half type: GPU kernels until torch 1.10
  upcast_half_only,  // honest for float16, library for bfloat16
  eps_ignored,       // honest with 1e-5, whatever was configured
};

// Over the last dimension. In float32 and float64 all variants are the library's norm; only eps_ignored changes eps.
// A float32 input with half weights gives a half result in every variant.
at::Tensor layer_norm(LnVariant variant, HalfMode mode, const at::Tensor& x, const Affine& affine, double eps);

}  // namespace goldentrace
