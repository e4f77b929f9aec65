#include "models/gpt_attention.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "models/attention_core.h"
#include "models/layer.h"

namespace goldentrace {
namespace {

struct Heads {
  at::Tensor query, key, value;  // each a view [b, n, s, d]
};

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

// [b, n, s, d] as the operands of one batched product: q [b·n, s, d], k [b·n, d, s].
at::Tensor batched_scores(HalfMode mode, const at::Tensor& query, const at::Tensor& key, double scale) {
  const auto b = query.size(0), n = query.size(1), s = query.size(2), d = query.size(3);
  const at::Tensor rows = query.reshape({-1, s, d});
  const at::Tensor columns = key.transpose(-1, -2).reshape({-1, d, s});
  return scaled_scores(mode, rows, columns, scale).view({b, n, s, s});
}

at::Tensor divided_scores(const Heads& h, const GptConfig& config, std::int64_t layer_index) {
  at::Tensor scores = matmul(config.half_mode, h.query, h.key.transpose(-1, -2));
  const double root = std::pow(static_cast<double>(config.head_dim()), 0.5);
  if (config.scale_attn_weights) scores = scores.div(at::full({}, root, scores.options()));
  if (config.scale_attn_by_inverse_layer_idx) scores = scores.div(static_cast<double>(layer_index + 1));
  return scores;
}

// With reorder_and_upcast_attn float32 whatever the model's dtype.
at::Tensor scores_of(const Heads& h, const GptConfig& config, std::int64_t layer_index) {
  const double scale = score_scale(config, layer_index);
  if (config.reorder_and_upcast_attn)
    return batched_scores(config.half_mode, h.query.to(at::kFloat), h.key.to(at::kFloat), scale);
  if (config.megatron_mode.scores) return batched_scores(config.half_mode, h.query, h.key, scale);
  if (config.score_rule == ScoreRule::divide) return divided_scores(h, config, layer_index);
  return matmul(config.half_mode, h.query, h.key.transpose(-1, -2)).mul(scale);
}

at::Tensor probabilities(const GptPass& pass, const at::Tensor& scores, std::int64_t seq_len, at::ScalarType dtype) {
  const at::Tensor mask = additive_mask(pass.config, pass.mask, seq_len, dtype);
  const at::Tensor masked = scores.add(mask);
  return softmax(pass.config.half_mode, pass.config.megatron_mode.softmax ? upcast(masked) : masked).to(dtype);
}

at::Tensor merge_heads(const at::Tensor& x) {
  const at::Tensor by_position = x.transpose(1, 2);
  return by_position.reshape({by_position.size(0), by_position.size(1), -1}).contiguous();
}

}  // namespace

at::Tensor additive_mask(const GptConfig& config, const at::Tensor& padding, std::int64_t seq_len,
                         at::ScalarType dtype) {
  const at::Tensor allowed = visible_tokens(config.mask_rule, padding, seq_len);
  return at::where(allowed, at::zeros({}, dtype), at::Scalar(config.mask_fill.value_or(lowest(dtype))));
}

at::Tensor attention(const GptPass& pass, const GptBlock& block, std::int64_t layer_index, const std::string& name,
                     const at::Tensor& x) {
  const GptConfig& config = pass.config;
  const HalfMode mode = config.half_mode;
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  const at::Tensor c_attn = in(
      ".c_attn", [&] { return conv1d(config.linears(), x, block.query_key_value.weight, block.query_key_value.bias); });
  const Heads heads = split_heads(c_attn, config);
  const at::Tensor scores = in(".scores", [&] { return scores_of(heads, config, layer_index); });
  at::Tensor probs = in(".probs", [&] { return probabilities(pass, scores, x.size(1), x.scalar_type()); });
  probs = in(".attn_dropout", [&] { return at::dropout(probs, config.attn_pdrop, true); });
  const at::Tensor context = in(".context", [&] { return merge_heads(matmul(mode, probs, heads.value)); });
  const bool separate = config.megatron_mode.bias;
  const at::Tensor inside = separate ? at::Tensor() : block.attention_out.bias;
  const at::Tensor projected =
      in(".c_proj", [&] { return conv1d(config.linears(), context, block.attention_out.weight, inside); });
  if (config.megatron_mode.bda) return projected;
  return in(".resid_dropout", [&] {
    return at::dropout(separate ? projected.add(block.attention_out.bias) : projected, config.resid_pdrop, true);
  });
}

}  // namespace goldentrace
