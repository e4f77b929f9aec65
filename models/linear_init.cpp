#include "models/linear_init.h"

#include <ATen/ops/empty.h>

#include <cmath>

namespace goldentrace {
namespace {

double kaiming_bound(std::int64_t fan_in) {
  const double slope = std::sqrt(5.0);
  const double gain = std::sqrt(2.0 / (1 + slope * slope));
  const double deviation = gain / std::sqrt(static_cast<double>(fan_in));
  return std::sqrt(3.0) * deviation;
}

}  // namespace

Affine draw_linear(std::int64_t in, std::int64_t out) {
  const double weight_bound = kaiming_bound(in);
  const double bias_bound = 1 / std::sqrt(static_cast<double>(in));
  Affine linear;
  linear.weight = at::empty({out, in}, at::kFloat).uniform_(-weight_bound, weight_bound);
  linear.bias = at::empty({out}, at::kFloat).uniform_(-bias_bound, bias_bound);
  return linear;
}

at::Tensor trainable(const at::Tensor& drawn, at::ScalarType dtype) { return drawn.to(dtype).set_requires_grad(true); }

Affine trainable(const Affine& drawn, at::ScalarType dtype) {
  return {trainable(drawn.weight, dtype), trainable(drawn.bias, dtype)};
}

}  // namespace goldentrace
