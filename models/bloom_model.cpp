#include "models/bloom_model.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "models/activation.h"
#include "models/alibi.h"
#include "models/attention_core.h"
#include "models/layer.h"
#include "models/layer_norm.h"

namespace goldentrace {
namespace {

struct BloomPass {
  const BloomConfig& config;
  const Events& events;
  at::Tensor mask;  // [b, s] int64, 0 = padding; undefined: no padding
};

at::Tensor norm(const BloomPass& pass, const std::string& name, const Affine& affine, const at::Tensor& x) {
  return layer(pass.events, name, [&] {
    return layer_norm(LnVariant::honest, pass.config.half_mode, x, affine, pass.config.layer_norm_epsilon);
  });
}

// As ranks of pretraining_tp would, from zeros.
at::Tensor exact_linear(const BloomConfig& config, const at::Tensor& x, const Affine& affine) {
  const at::Tensor zeros = at::zeros({x.size(0), x.size(1), affine.weight.size(0)}, x.options());
  const at::Tensor sum = sliced_linear(config.linears(), x, affine.weight, config.pretraining_tp, zeros);
  return config.slow_bias == SlowBias::added ? sum.add(affine.bias) : sum;
}

at::Tensor output_linear(const BloomConfig& config, const at::Tensor& x, const Affine& affine) {
  if (config.slow_but_exact && config.pretraining_tp > 1) return exact_linear(config, x, affine);
  return linear(config.linears(), x, affine.weight, affine.bias);
}

// query, key and value of each head lie together: [b, s, 3h] -> [b·n, s, d].
at::Tensor heads_of(const at::Tensor& mixed, const BloomConfig& config, std::int64_t part) {
  const at::Tensor view = mixed.view({mixed.size(0), mixed.size(1), config.n_head, 3, config.head_dim()});
  return view.select(3, part).transpose(1, 2).reshape(
      {mixed.size(0) * config.n_head, mixed.size(1), config.head_dim()});
}

double layer_number(const BloomConfig& config, std::int64_t layer_index) {
  if (config.scores == BloomScores::current) return 1;
  return static_cast<double>(std::max<std::int64_t>(1, layer_index));
}

// [b, n, s, s]
at::Tensor scores_of(const BloomPass& pass, const at::Tensor& mixed, std::int64_t layer_index) {
  const BloomConfig& config = pass.config;
  const std::int64_t b = mixed.size(0), s = mixed.size(1), n = config.n_head;
  const at::Tensor tokens = pass.mask.defined() ? pass.mask : at::ones({b, s}, at::kLong);
  const at::Tensor alibi = bloom_alibi(n, tokens, mixed.scalar_type());
  const double number = layer_number(config, layer_index);
  const double alpha = 1 / std::sqrt(static_cast<double>(config.head_dim())) / number;
  return scaled_scores(config.half_mode, heads_of(mixed, config, 0), heads_of(mixed, config, 1).transpose(-1, -2),
                       alpha, alibi, 1 / number)
      .view({b, n, s, s});
}

at::Tensor probabilities(const BloomPass& pass, const at::Tensor& scores, std::int64_t layer_index) {
  const at::ScalarType dtype = scores.scalar_type();
  const at::Tensor allowed = visible_tokens(MaskRule::causal, pass.mask, scores.size(-1));
  if (pass.config.scores == BloomScores::first_release) {
    const at::Tensor wide = upcast(scores).mul(layer_number(pass.config, layer_index));
    return at::softmax(wide.masked_fill(allowed.logical_not(), lowest(wide.scalar_type())), -1).to(dtype);
  }
  const at::Tensor additive = at::where(allowed, at::zeros({}, dtype), at::Scalar(lowest(dtype)));
  return at::softmax(scores.add(additive), -1, at::kFloat).to(dtype);
}

at::Tensor context_of(const BloomConfig& config, const at::Tensor& probs, const at::Tensor& mixed) {
  const std::int64_t b = probs.size(0), n = probs.size(1), s = probs.size(2), d = config.head_dim();
  const at::Tensor product = matmul(config.half_mode, probs.view({b * n, s, s}), heads_of(mixed, config, 2));
  return product.view({b, n, s, d}).permute({0, 2, 1, 3}).reshape({b, s, n * d});
}

at::Tensor attention(const BloomPass& pass, const GptBlock& block, std::int64_t index, const std::string& name,
                     const at::Tensor& x) {
  const BloomConfig& config = pass.config;
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  const at::Tensor mixed = in(".query_key_value", [&] {
    return linear(config.linears(), x, block.query_key_value.weight, block.query_key_value.bias);
  });
  const at::Tensor scores = in(".scores", [&] { return scores_of(pass, mixed, index); });
  at::Tensor probs = in(".probs", [&] { return probabilities(pass, scores, index); });
  probs = in(".attention_dropout", [&] { return at::dropout(probs, config.attention_dropout, true); });
  const at::Tensor context = in(".context", [&] { return context_of(config, probs, mixed); });
  return in(".dense", [&] { return output_linear(config, context, block.attention_out); });
}

at::Tensor feed_forward(const BloomPass& pass, const GptBlock& block, const std::string& name, at::Tensor x) {
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  x = in(".dense_h_to_4h", [&] { return linear(pass.config.linears(), x, block.mlp_in.weight, block.mlp_in.bias); });
  x = in(".gelu_impl", [&] { return tanh_gelu(x, megatron_gelu_constant); });
  return in(".dense_4h_to_h", [&] { return output_linear(pass.config, x, block.mlp_out); });
}

at::Tensor run_block(const BloomPass& pass, const GptBlock& block, std::int64_t index, const at::Tensor& x) {
  const std::string name = "h." + std::to_string(index);
  const bool normed = pass.config.apply_residual_connection_post_layernorm;
  const ResidualSum how{.dropout = pass.config.hidden_dropout};
  return layer(pass.events, name, [&] {
    at::Tensor hidden = norm(pass, name + ".input_layernorm", block.input_norm, x);
    at::Tensor residual = normed ? hidden : x;
    const std::string inner = name + ".self_attention";
    hidden = layer(pass.events, inner, [&] { return attention(pass, block, index, inner, hidden); });
    const at::Tensor sum =
        layer(pass.events, name + ".attention_residual", [&] { return add_to_residual(how, hidden, {}, residual); });
    hidden = norm(pass, name + ".post_attention_layernorm", block.output_norm, sum);
    residual = normed ? hidden : sum;
    hidden = layer(pass.events, name + ".mlp", [&] { return feed_forward(pass, block, name + ".mlp", hidden); });
    return add_to_residual(how, hidden, {}, residual);
  });
}

}  // namespace

at::Tensor bloom_logits(const BloomConfig& config, const GptParameters& parameters, const at::Tensor& ids,
                        const at::Tensor& mask, const Events& events) {
  const BloomPass pass{.config = config, .events = events, .mask = mask};
  at::Tensor x = layer(events, "word_embeddings", [&] { return at::embedding(parameters.words, ids); });
  x = norm(pass, "word_embeddings_layernorm", parameters.embedding_norm, x);
  for (std::size_t i = 0; i < parameters.blocks.size(); ++i)
    x = run_block(pass, parameters.blocks[i], static_cast<std::int64_t>(i), x);
  x = norm(pass, "ln_f", parameters.final_norm, x);
  return layer(events, "lm_head", [&] { return linear(config.linears(), x, parameters.head, {}); });
}

}  // namespace goldentrace
