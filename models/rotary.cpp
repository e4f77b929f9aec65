#include "models/rotary.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/pow.h>

namespace goldentrace {
namespace {

constexpr double base = 10000;

// [s, 1, d]. In bfloat16 the angles are widened before cosine and sine, in float16 they are not.
at::Tensor angles(const at::Tensor& x, RotaryFrequency frequency) {
  const std::int64_t size = x.size(2);
  const at::ScalarType dtype = frequency == RotaryFrequency::model ? x.scalar_type() : at::kFloat;
  const at::Tensor exponents = at::arange(0, size, 2, at::kFloat).div(static_cast<double>(size));
  const at::Tensor inverse = at::pow(at::Scalar(base), exponents).reciprocal().to(dtype);
  const at::Tensor product = at::arange(x.size(0), dtype).unsqueeze(1).mul(inverse.unsqueeze(0));
  const at::Tensor both = at::cat({product, product}, -1).unsqueeze(1);
  return dtype == at::kBFloat16 ? both.to(at::kFloat) : both;
}

}  // namespace

at::Tensor rotated(const at::Tensor& x, RotaryFrequency frequency) {
  const at::Tensor angle = angles(x, frequency);
  const at::Tensor cosine = angle.cos().to(x.scalar_type()), sine = angle.sin().to(x.scalar_type());
  const std::int64_t half = x.size(2) / 2;
  const at::Tensor turned = at::cat({x.slice(2, half).neg(), x.slice(2, 0, half)}, -1);
  return x.mul(cosine).add(turned.mul(sine));
}

}  // namespace goldentrace
