// The parameters of one Linear layer, drawn as torch draws them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace goldentrace {

struct Affine {
  at::Tensor weight;
  at::Tensor bias;
};

// weight [out, in], then bias [out], each U(-k, k) with k = 1/sqrt(in), float32, from the default generator. (Kaiming
// uniform with a = sqrt(5), computed in double in torch's order, because k is not exactly 1/sqrt(in) then.)
Affine draw_linear(std::int64_t in, std::int64_t out);

// Leaf tensors of `dtype` that require a gradient, with the values drawn in float32.
at::Tensor trainable(const at::Tensor& drawn, at::ScalarType dtype);
Affine trainable(const Affine& drawn, at::ScalarType dtype);

}  // namespace goldentrace
