#include "models/gpt_attention.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "models/layer.h"

namespace goldentrace {
namespace {

struct Heads {
  at::Tensor query, key, value;  // each a view [b, n, s, d]
};

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

Heads split_heads(const at::Tensor& c_attn, const GptConfig& config) {
  const auto parts = c_attn.split(config.n_embd, 2);
  const auto heads = [&](const at::Tensor& part) {
    return part.view({part.size(0), part.size(1), -1, config.head_dim()}).transpose(1, 2);
  };
  Heads result;
  result.key = heads(parts[1]);
  result.value = heads(parts[2]);
  result.query = heads(parts[0]);
  return result;
}

double score_scale(const GptConfig& config, std::int64_t layer_index) {
  double scale = 1;
  if (config.scale_attn_weights) scale = std::pow(static_cast<double>(config.head_dim()), -0.5);
  if (config.scale_attn_by_inverse_layer_idx) scale /= static_cast<double>(layer_index + 1);
  return scale;
}

// float32 whatever the model's dtype. Where transformers passes uninitialised memory with beta 0, zeros stand here:
// no bit of the result depends on them, and a tape can hold them.
at::Tensor upcast_scores(const Heads& h, double scale) {
  const auto b = h.query.size(0), n = h.query.size(1), s = h.query.size(2), d = h.query.size(3);
  const at::Tensor query = h.query.reshape({-1, s, d}).to(at::kFloat);
  const at::Tensor key = h.key.transpose(-1, -2).reshape({-1, d, s}).to(at::kFloat);
  const at::Tensor unused = at::zeros({b * n, s, s}, at::kFloat);
  return at::baddbmm(unused, query, key, 0, scale).reshape({b, n, s, s});
}

at::Tensor divided_scores(const Heads& h, const GptConfig& config, std::int64_t layer_index) {
  at::Tensor scores = at::matmul(h.query, h.key.transpose(-1, -2));
  const double root = std::pow(static_cast<double>(config.head_dim()), 0.5);
  if (config.scale_attn_weights) scores = scores.div(at::full({}, root, scores.options()));
  if (config.scale_attn_by_inverse_layer_idx) scores = scores.div(static_cast<double>(layer_index + 1));
  return scores;
}

at::Tensor scores_of(const Heads& h, const GptConfig& config, std::int64_t layer_index) {
  const double scale = score_scale(config, layer_index);
  if (config.reorder_and_upcast_attn) return upcast_scores(h, scale);
  if (config.score_rule == ScoreRule::divide) return divided_scores(h, config, layer_index);
  return at::matmul(h.query, h.key.transpose(-1, -2)).mul(scale);
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

at::Tensor merge_heads(const at::Tensor& x) {
  const at::Tensor by_position = x.transpose(1, 2);
  return by_position.reshape({by_position.size(0), by_position.size(1), -1}).contiguous();
}

}  // namespace

at::Tensor conv1d(const at::Tensor& x, const Affine& affine) {
  auto size = x.sizes().vec();
  size.back() = affine.weight.size(1);
  return at::addmm(affine.bias, x.view({-1, x.size(-1)}), affine.weight).view(size);
}

at::Tensor additive_mask(const GptConfig& config, const at::Tensor& padding, std::int64_t seq_len,
                         at::ScalarType dtype) {
  at::Tensor allowed = visible(config.mask_rule, seq_len).view({1, 1, seq_len, seq_len});
  if (padding.defined()) allowed = allowed.logical_and(padding.to(at::kBool).view({-1, 1, 1, seq_len}));
  return at::where(allowed, at::zeros({}, dtype), at::Scalar(config.mask_fill.value_or(lowest(dtype))));
}

at::Tensor attention(const GptPass& pass, const GptBlock& block, std::int64_t layer_index, const std::string& name,
                     const at::Tensor& x) {
  const GptConfig& config = pass.config;
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  const at::Tensor c_attn = in(".c_attn", [&] { return conv1d(x, block.attn_c_attn); });
  const Heads heads = split_heads(c_attn, config);
  const at::Tensor scores = in(".scores", [&] { return scores_of(heads, config, layer_index); });
  at::Tensor probs = in(".probs", [&] {
    const at::Tensor mask = additive_mask(config, pass.mask, x.size(1), x.scalar_type());
    return at::softmax(scores.add(mask), -1).to(x.scalar_type());
  });
  probs = in(".attn_dropout", [&] { return at::dropout(probs, config.attn_pdrop, true); });
  const at::Tensor context = in(".context", [&] { return merge_heads(at::matmul(probs, heads.value)); });
  const at::Tensor projected = in(".c_proj", [&] { return conv1d(context, block.attn_c_proj); });
  return in(".resid_dropout", [&] { return at::dropout(projected, config.resid_pdrop, true); });
}

}  // namespace goldentrace
