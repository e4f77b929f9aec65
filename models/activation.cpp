#include "models/activation.h"

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

at::Tensor gelu_fast(const at::Tensor& x) {
  const at::Tensor half = x.mul(0.5);
  const at::Tensor scaled = x.mul(0.7978845608);
  const at::Tensor square = x.mul(0.044715).mul(x);
  return half.mul(at::tanh(scaled.mul(square.add(1.0))).add(1.0));
}

at::Tensor quick_gelu(const at::Tensor& x) { return x.mul(at::sigmoid(x.mul(1.702))); }

}  // namespace

at::Tensor activate(Activation function, const at::Tensor& x) {
  switch (function) {
    case Activation::gelu_new:
      return gelu_new(x);
    case Activation::gelu_fast:
      return gelu_fast(x);
    case Activation::gelu:
      return at::gelu(x);
    case Activation::gelu_pytorch_tanh:
      return at::gelu(x, "tanh");
    case Activation::quick_gelu:
      break;
  }
  return quick_gelu(x);
}

}  // namespace goldentrace
