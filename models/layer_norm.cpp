#include "models/layer_norm.h"

#include <ATen/ops/layer_norm.h>

namespace goldentrace {
namespace {

constexpr double eps_of_the_library = 1e-5;  // what a call without eps takes

at::Tensor library_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, eps);
}

at::Tensor upcast_norm(const at::Tensor& x, const Affine& affine, double eps) {
  const at::Tensor wide = library_norm(upcast(x), upcast(affine.weight), upcast(affine.bias), eps);
  return rounded_to(wide, affine.weight.scalar_type());
}

at::Tensor half_moment_norm(const at::Tensor& x, const Affine& affine, double eps) {
  const at::ScalarType half = affine.weight.scalar_type();
  const at::Tensor wide = upcast(x);
  const at::Tensor mean = wide.mean({-1}, true);
  const at::Tensor centred = wide.sub(mean);
  const at::Tensor variance = centred.mul(centred).mean({-1}, true);
  const at::Tensor rounded_mean = mean.to(half).to(at::kFloat);
  const at::Tensor rounded_scale = variance.add(eps).rsqrt().to(half).to(at::kFloat);
  const at::Tensor normal = wide.sub(rounded_mean).mul(rounded_scale);
  return normal.mul(upcast(affine.weight)).add(upcast(affine.bias)).to(half);
}

}  // namespace

at::Tensor layer_norm(LnVariant variant, HalfMode mode, const at::Tensor& x, const Affine& affine, double eps) {
  const at::ScalarType dtype = affine.weight.scalar_type();
  if (variant == LnVariant::eps_ignored) eps = eps_of_the_library;
  if (!is_half(dtype)) return library_norm(x, affine.weight, affine.bias, eps);
  if (variant == LnVariant::half_moments) return half_moment_norm(x, affine, eps);
  const bool around = variant == LnVariant::upcast_half_only && dtype == at::kHalf;
  if (around || mode == HalfMode::emulated || x.scalar_type() != dtype) return upcast_norm(x, affine, eps);
  return library_norm(x, affine.weight, affine.bias, eps);
}

}  // namespace goldentrace
