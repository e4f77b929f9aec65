#include "models/gpt_model.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>

#include "models/activation.h"
#include "models/attention_core.h"
#include "models/gpt_attention.h"
#include "models/layer.h"

namespace goldentrace {
namespace {

at::Tensor norm(const GptPass& pass, const std::string& name, const Affine& affine, const at::Tensor& x) {
  const GptConfig& config = pass.config;
  const LnVariant variant = config.megatron_mode.ln ? LnVariant::honest : config.ln_variant;
  return layer(pass.events, name,
               [&] { return layer_norm(variant, config.half_mode, x, affine, config.layer_norm_epsilon); });
}

at::Tensor embed(const GptPass& pass, const GptParameters& p, const at::Tensor& ids) {
  const at::Tensor words = layer(pass.events, "wte", [&] { return at::embedding(p.words, ids); });
  const at::Tensor positions = layer(
      pass.events, "wpe", [&] { return at::embedding(p.positions, at::arange(ids.size(1), at::kLong).unsqueeze(0)); });
  return layer(pass.events, "drop", [&] { return at::dropout(words.add(positions), pass.config.embd_pdrop, true); });
}

// `bias` is undefined when it is in x already.
at::Tensor activated(const GptConfig& config, const at::Tensor& x, const at::Tensor& bias) {
  if (config.megatron_mode.gelu) return fused_bias_gelu(x, bias);
  return activate(config.activation_function, bias.defined() ? x.add(bias) : x, config.half_mode);
}

// What a projection leaves to others.
at::Tensor separate_bias(const GptConfig& config, const Affine& affine) {
  return config.megatron_mode.bias ? affine.bias : at::Tensor();
}

at::Tensor projected(const GptConfig& config, const at::Tensor& x, const Affine& affine) {
  return conv1d(config.linears(), x, affine.weight, config.megatron_mode.bias ? at::Tensor() : affine.bias);
}

at::Tensor feed_forward(const GptPass& pass, const GptBlock& block, const std::string& name, at::Tensor x) {
  const GptConfig& config = pass.config;
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  x = in(".c_fc", [&] { return projected(config, x, block.mlp_in); });
  x = in(".act", [&] { return activated(config, x, separate_bias(config, block.mlp_in)); });
  x = in(".c_proj", [&] { return projected(config, x, block.mlp_out); });
  if (config.megatron_mode.bda) return x;
  return in(".dropout", [&] {
    return at::dropout(config.megatron_mode.bias ? x.add(block.mlp_out.bias) : x, config.resid_pdrop, true);
  });
}

// Megatron's sum; without megatron_mode.bda dropout, and the bias before it, are in x already.
at::Tensor fused_residual_sum(const GptConfig& config, const at::Tensor& x, const Affine& affine,
                              const at::Tensor& residual) {
  return add_to_residual({.dropout = config.resid_pdrop, .one_rounding = true}, x, separate_bias(config, affine),
                         residual);
}

at::Tensor run_block(const GptPass& pass, const GptBlock& block, std::int64_t index, const at::Tensor& x) {
  const std::string name = "h." + std::to_string(index);
  const bool fused = pass.config.megatron_mode.bda;
  return layer(pass.events, name, [&] {
    at::Tensor hidden = norm(pass, name + ".ln_1", block.input_norm, x);
    hidden = layer(pass.events, name + ".attn", [&] { return attention(pass, block, index, name + ".attn", hidden); });
    const at::Tensor residual = layer(pass.events, name + ".attention_residual", [&] {
      return fused ? fused_residual_sum(pass.config, hidden, block.attention_out, x) : hidden.add(x);
    });
    hidden = norm(pass, name + ".ln_2", block.output_norm, residual);
    hidden = layer(pass.events, name + ".mlp", [&] { return feed_forward(pass, block, name + ".mlp", hidden); });
    return fused ? fused_residual_sum(pass.config, hidden, block.mlp_out, residual) : residual.add(hidden);
  });
}

}  // namespace

at::Tensor gpt_logits(const GptConfig& config, const GptParameters& parameters, const at::Tensor& ids,
                      const at::Tensor& mask, const Events& events) {
  const GptPass pass{.config = config, .events = events, .mask = mask};
  at::Tensor x = embed(pass, parameters, ids);
  for (std::size_t i = 0; i < parameters.blocks.size(); ++i)
    x = run_block(pass, parameters.blocks[i], static_cast<std::int64_t>(i), x);
  x = norm(pass, "ln_f", parameters.final_norm, x);
  return layer(events, "lm_head", [&] { return linear(config.linears(), x, parameters.head, {}); });
}

at::Tensor gpt_loss(const at::Tensor& logits, const at::Tensor& labels, const Events& events) {
  return layer(events, "loss", [&] {
    const at::Tensor flat = logits.to(at::kFloat).view({-1, logits.size(-1)});
    return at::cross_entropy_loss(flat, labels.view(-1));
  });
}

}  // namespace goldentrace
