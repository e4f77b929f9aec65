#include "models/attention_core.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include <limits>

namespace goldentrace {

at::Tensor scaled_scores(HalfMode mode, const at::Tensor& query, const at::Tensor& key, double alpha,
                         const at::Tensor& bias, double beta) {
  const at::Tensor first =
      bias.defined() ? bias : at::zeros({query.size(0), query.size(1), key.size(2)}, query.options());
  return rounded_once(
      mode,
      [&](const at::Tensor& c, const at::Tensor& a, const at::Tensor& b) { return at::baddbmm(c, a, b, beta, alpha); },
      first, query, key);
}

at::Tensor visible(MaskRule rule, std::int64_t seq_len) {
  const at::Tensor position = at::arange(seq_len, at::kLong);
  const at::Tensor query = position.unsqueeze(1), key = position.unsqueeze(0);
  switch (rule) {
    case MaskRule::causal:
      return key.le(query);
    case MaskRule::inverted:
      return key.ge(query);
    case MaskRule::shifted:
      return key.le(query.add(1));
    case MaskRule::none:
      break;
  }
  return at::ones_like(key.le(query));
}

at::Tensor visible_tokens(MaskRule rule, const at::Tensor& padding, std::int64_t seq_len) {
  at::Tensor allowed = visible(rule, seq_len).view({1, 1, seq_len, seq_len});
  if (padding.defined()) allowed = allowed.logical_and(padding.to(at::kBool).view({-1, 1, 1, seq_len}));
  return allowed;
}

double lowest(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf:
      return std::numeric_limits<c10::Half>::lowest();
    case at::kBFloat16:
      return std::numeric_limits<c10::BFloat16>::lowest();
    case at::kDouble:
      return std::numeric_limits<double>::lowest();
    default:
      return std::numeric_limits<float>::lowest();
  }
}

at::Tensor softmax(HalfMode mode, const at::Tensor& scores) {
  return rounded_once(
      mode, [](const at::Tensor& x) { return at::softmax(x, -1); }, scores);
}

at::Tensor matmul(HalfMode mode, const at::Tensor& a, const at::Tensor& b) {
  return rounded_once(
      mode, [](const at::Tensor& x, const at::Tensor& y) { return at::matmul(x, y); }, a, b);
}

at::Tensor add_to_residual(const ResidualSum& how, const at::Tensor& x, const at::Tensor& bias,
                           const at::Tensor& residual) {
  const bool wide = how.one_rounding && is_half(x.scalar_type());
  at::Tensor sum = wide ? upcast(x) : x;
  if (bias.defined()) sum = sum.add(wide ? upcast(bias) : bias);
  sum = at::dropout(sum, how.dropout, true);
  return rounded_to((wide ? upcast(residual) : residual).add(sum), residual.scalar_type());
}

}  // namespace goldentrace
