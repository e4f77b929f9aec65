#include "models/gpt_model.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>

#include "models/activation.h"
#include "models/gpt_attention.h"
#include "models/layer.h"

namespace goldentrace {
namespace {

at::Tensor norm(const GptPass& pass, const std::string& name, const Affine& affine, const at::Tensor& x) {
  return layer(pass.events, name, [&] {
    return at::layer_norm(x, {x.size(-1)}, affine.weight, affine.bias, pass.config.layer_norm_epsilon);
  });
}

at::Tensor embed(const GptPass& pass, const GptParameters& p, const at::Tensor& ids) {
  const at::Tensor words = layer(pass.events, "wte", [&] { return at::embedding(p.wte, ids); });
  const at::Tensor positions =
      layer(pass.events, "wpe", [&] { return at::embedding(p.wpe, at::arange(ids.size(1), at::kLong).unsqueeze(0)); });
  return layer(pass.events, "drop", [&] { return at::dropout(words.add(positions), pass.config.embd_pdrop, true); });
}

at::Tensor feed_forward(const GptPass& pass, const GptBlock& block, const std::string& name, at::Tensor x) {
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  x = in(".c_fc", [&] { return conv1d(x, block.mlp_c_fc); });
  x = in(".act", [&] { return activate(pass.config.activation_function, x); });
  x = in(".c_proj", [&] { return conv1d(x, block.mlp_c_proj); });
  return in(".dropout", [&] { return at::dropout(x, pass.config.resid_pdrop, true); });
}

at::Tensor run_block(const GptPass& pass, const GptBlock& block, std::int64_t index, const at::Tensor& x) {
  const std::string name = "h." + std::to_string(index);
  return layer(pass.events, name, [&] {
    at::Tensor hidden = norm(pass, name + ".ln_1", block.ln_1, x);
    hidden = layer(pass.events, name + ".attn", [&] { return attention(pass, block, index, name + ".attn", hidden); });
    const at::Tensor residual = layer(pass.events, name + ".attention_residual", [&] { return hidden.add(x); });
    hidden = norm(pass, name + ".ln_2", block.ln_2, residual);
    hidden = layer(pass.events, name + ".mlp", [&] { return feed_forward(pass, block, name + ".mlp", hidden); });
    return residual.add(hidden);
  });
}

}  // namespace

at::Tensor gpt_logits(const GptConfig& config, const GptParameters& parameters, const at::Tensor& ids,
                      const at::Tensor& mask, const Events& events) {
  const GptPass pass{.config = config, .events = events, .mask = mask};
  at::Tensor x = embed(pass, parameters, ids);
  for (std::size_t i = 0; i < parameters.h.size(); ++i)
    x = run_block(pass, parameters.h[i], static_cast<std::int64_t>(i), x);
  x = norm(pass, "ln_f", parameters.ln_f, x);
  return layer(events, "lm_head", [&] { return at::linear(x, parameters.lm_head); });
}

at::Tensor gpt_loss(const at::Tensor& logits, const at::Tensor& labels, const Events& events) {
  return layer(events, "loss", [&] {
    const at::Tensor flat = logits.to(at::kFloat).view({-1, logits.size(-1)});
    return at::cross_entropy_loss(flat, labels.view(-1));
  });
}

}  // namespace goldentrace
