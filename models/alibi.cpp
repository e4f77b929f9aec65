#include "models/alibi.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/pow.h>

#include <bit>
#include <cmath>

namespace goldentrace {
namespace {

at::ScalarType type_of(SlopePrecision precision) {
  return precision == SlopePrecision::float64 ? at::kDouble : at::kFloat;
}

// base^1, base^(1+step) … with base = 2^(-8 / heads): `count` of them.
at::Tensor series(std::int64_t heads, std::int64_t count, std::int64_t step, SlopePrecision precision) {
  const double base = std::pow(2.0, -std::pow(2.0, -(std::log2(static_cast<double>(heads)) - 3)));
  const at::Tensor powers = at::arange(1, 1 + count * step, step, at::kInt);
  return at::pow(at::full({}, base, at::TensorOptions(type_of(precision))), powers);
}

}  // namespace

at::Tensor alibi_slopes(std::int64_t heads, SlopePrecision precision) {
  const auto below = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  at::Tensor slopes = series(below, below, 1, precision);
  if (below < heads) slopes = at::cat({slopes, series(2 * below, heads - below, 2, precision)}, 0);
  return slopes.to(at::kFloat);
}

at::Tensor megatron_alibi(std::int64_t heads, std::int64_t batch, std::int64_t keys, at::ScalarType dtype) {
  const at::Tensor slopes = alibi_slopes(heads, SlopePrecision::float64).view({heads, 1, 1});
  const at::Tensor positions = at::arange(keys, at::kFloat).view({1, 1, keys});
  return slopes.mul(positions).repeat({batch, 1, 1}).to(dtype);
}

at::Tensor bloom_alibi(std::int64_t heads, const at::Tensor& mask, at::ScalarType dtype) {
  const at::Tensor slopes = alibi_slopes(heads, SlopePrecision::float32).unsqueeze(-1);
  const at::Tensor positions = mask.cumsum(-1).sub(1).mul(mask).unsqueeze(1);
  return slopes.mul(positions).reshape({mask.size(0) * heads, 1, mask.size(1)}).to(dtype);
}

}  // namespace goldentrace
