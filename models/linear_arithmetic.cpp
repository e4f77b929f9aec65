#include "models/linear_arithmetic.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>

namespace goldentrace {
namespace {

constexpr std::int64_t dropped_bits = 13;  // of float32's 23
constexpr std::int64_t kept_mask = -(std::int64_t{1} << dropped_bits);
constexpr std::int64_t below_half = (std::int64_t{1} << (dropped_bits - 1)) - 1;

}  // namespace

at::Tensor operand(LinearOperands operands, const at::Tensor& tensor) {
  if (operands == LinearOperands::full || tensor.scalar_type() != at::kFloat) return tensor;
  const at::Tensor value = tensor.detach();
  const at::Tensor bits = value.view(at::kInt);
  const at::Tensor odd = bits.bitwise_right_shift(dropped_bits).bitwise_and(1);
  const at::Tensor rounded = bits.add(odd).add(below_half).bitwise_and(kept_mask).view(at::kFloat);
  return tensor.add(rounded.sub(value));  // exact, and of gradient 1
}

at::Tensor linear(const LinearArithmetic& arithmetic, const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  return rounded_once(
      arithmetic.half_mode,
      [](const at::Tensor& input, const at::Tensor& w, const at::Tensor& b) {
        return b.defined() ? at::linear(input, w, b) : at::linear(input, w);
      },
      operand(arithmetic.operands, x), operand(arithmetic.operands, weight), bias);
}

at::Tensor sliced_linear(const LinearArithmetic& arithmetic, const at::Tensor& x, const at::Tensor& weight,
                         std::int64_t ranks, const at::Tensor& initial) {
  at::Tensor sum = initial;
  const std::int64_t width = x.size(-1) / ranks;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t from = rank * width;
    const at::Tensor part = linear(arithmetic, x.narrow(-1, from, width), weight.narrow(1, from, width), {});
    sum = sum.defined() ? sum.add(part) : part;
  }
  return sum;
}

at::Tensor conv1d(const LinearArithmetic& arithmetic, const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  auto size = x.sizes().vec();
  size.back() = weight.size(1);
  const at::Tensor rows = operand(arithmetic.operands, x.view({-1, x.size(-1)}));
  const at::Tensor columns = operand(arithmetic.operands, weight);
  const auto product = [](const at::Tensor& r, const at::Tensor& w, const at::Tensor& b) {
    return b.defined() ? at::addmm(b, r, w) : at::mm(r, w);
  };
  return rounded_once(arithmetic.half_mode, product, rows, columns, bias).view(size);
}

}  // namespace goldentrace
