#include "models/activation.h"

#include <ATen/ops/erf.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>

#include <cmath>
#include <numbers>

namespace goldentrace {
namespace {

// One statement per op, in the order of the Python expression: x is used several times, and the order in which its
// gradients are summed is the reverse of the order in which the ops ran.
at::Tensor gelu_new(const at::Tensor& x) {
  const at::Tensor half = x.mul(0.5);
  const at::Tensor cube = at::pow(x, 3.0).mul(0.044715);
  const at::Tensor inner = x.add(cube).mul(std::sqrt(2.0 / std::numbers::pi));
  return half.mul(at::tanh(inner).add(1.0));
}

at::Tensor quick_gelu(const at::Tensor& x) { return x.mul(at::sigmoid(x.mul(1.702))); }

at::Tensor library_gelu(const at::Tensor& x, HalfMode mode, const char* approximate) {
  return rounded_once(
      mode, [&](const at::Tensor& input) { return at::gelu(input, approximate); }, x);
}

}  // namespace

at::Tensor tanh_gelu(const at::Tensor& x, double constant) {
  const at::Tensor half = x.mul(0.5);
  const at::Tensor scaled = x.mul(constant);
  const at::Tensor square = x.mul(0.044715).mul(x);
  return half.mul(at::tanh(scaled.mul(square.add(1.0))).add(1.0));
}

at::Tensor fused_bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
  const at::Tensor wide = upcast(x);
  const at::Tensor sum = bias.defined() ? wide.add(upcast(bias)) : wide;
  return rounded_to(tanh_gelu(sum, megatron_gelu_constant), x.scalar_type());
}

at::Tensor erf_gelu(const at::Tensor& x) {
  const at::Tensor half = x.mul(0.5);
  return half.mul(at::erf(x.div(1.41421)).add(1.0));
}

at::Tensor activate(Activation function, const at::Tensor& x, HalfMode mode) {
  switch (function) {
    case Activation::gelu_new:
      return gelu_new(x);
    case Activation::gelu_fast:
      return tanh_gelu(x, 0.7978845608);
    case Activation::gelu:
      return library_gelu(x, mode, "none");
    case Activation::gelu_pytorch_tanh:
      return library_gelu(x, mode, "tanh");
    case Activation::quick_gelu:
      break;
  }
  return quick_gelu(x);
}

}  // namespace goldentrace
