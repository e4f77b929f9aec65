#include "models/megatron_softmax.h"

#include <array>
#include <limits>

#include "models/attention_core.h"

namespace goldentrace {
namespace {

constexpr std::array<std::string_view, 3> path_names{"torch", "fused-causal", "fused-masked"};
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

double fill_value(MaskFill fill, at::ScalarType dtype) {
  switch (fill) {
    case MaskFill::minus_10000:
      return -10000;
    case MaskFill::minus_inf:
      return minus_infinity;
    case MaskFill::finfo_min:
      break;
  }
  return lowest(dtype);
}

at::Tensor torch_softmax(const MegatronConfig& config, const at::Tensor& scores, const at::Tensor& masked,
                         double coefficient) {
  const bool wide = config.attention_softmax_in_fp32 || config.apply_query_key_layer_scaling;
  at::Tensor x = wide ? upcast(scores) : scores;
  if (config.apply_query_key_layer_scaling) x = x.mul(coefficient);
  x = x.masked_fill(masked, fill_value(config.mask_fill, x.scalar_type()));
  return rounded_to(softmax(config.half_mode, x), scores.scalar_type());
}

at::Tensor fused_softmax(const MegatronConfig& config, SoftmaxPath path, const at::Tensor& scores,
                         const at::Tensor& masked, double coefficient) {
  const double fill = config.mask_fill == MaskFill::minus_10000 ? -10000 : minus_infinity;
  at::Tensor x = upcast(scores);
  if (config.apply_query_key_layer_scaling) x = x.mul(coefficient);
  at::Tensor probs = softmax(config.half_mode, x.masked_fill(masked, fill));
  if (path == SoftmaxPath::fused_masked && fill == minus_infinity) probs = probs.masked_fill(masked.all(-1, true), 0.0);
  return rounded_to(probs, scores.scalar_type());
}

}  // namespace

std::string_view name(SoftmaxPath path) { return path_names[static_cast<std::size_t>(path)]; }

SoftmaxPath softmax_path(const MegatronConfig& config, at::ScalarType dtype, std::int64_t batch, std::int64_t seq_len,
                         bool masked) {
  if (!config.masked_softmax_fusion || !is_half(dtype)) return SoftmaxPath::torch;
  const std::int64_t rows = batch * config.num_attention_heads, per_block = seq_len <= 128 ? 8 : 4;
  const bool fits = seq_len > 16 && seq_len <= 4096 && seq_len % 4 == 0 && rows % 4 == 0;
  if (!fits || (masked ? seq_len : rows) % per_block != 0) return SoftmaxPath::torch;
  return masked ? SoftmaxPath::fused_masked : SoftmaxPath::fused_causal;
}

at::Tensor megatron_softmax(const MegatronConfig& config, SoftmaxPath path, const at::Tensor& scores,
                            const at::Tensor& masked, double coefficient) {
  if (path == SoftmaxPath::torch) return torch_softmax(config, scores, masked, coefficient);
  return fused_softmax(config, path, scores, masked, coefficient);
}

}  // namespace goldentrace
