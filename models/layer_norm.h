// Layer norms of the GPTs and how they round in half types.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/half_mode.h"
#include "models/linear_init.h"

namespace goldentrace {

enum class LnVariant {
  honest,            // moments and affine in float32, one rounding: LibTorch's kernel
  half_moments,      // mean and inverse deviation rounded to the half type: GPU kernels until torch 1.10
  upcast_half_only,  // float16 goes to float32 and back around the kernel, bfloat16 does not
  eps_ignored,       // honest with 1e-5, whatever was configured
};

// Over the last dimension; the result has the type of gamma, also where the input is float32 and gamma a half type. In
// float32 and float64 all variants are the same; only eps_ignored changes eps. The kernel and float32 around it sum in
// another order, so that rare elements of half types differ between them.
at::Tensor layer_norm(LnVariant variant, HalfMode mode, const at::Tensor& x, const Affine& affine, double eps);

}  // namespace goldentrace
