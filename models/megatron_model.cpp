#include "models/megatron_model.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>

#include "models/activation.h"
#include "models/attention_core.h"
#include "models/layer.h"
#include "models/megatron_attention.h"

namespace goldentrace {
namespace {

constexpr double embedding_norm_eps = 1e-5;

at::Tensor norm(const MegatronPass& pass, const std::string& name, const Affine& affine, const at::Tensor& x,
                double eps) {
  return layer(pass.events, name,
               [&] { return layer_norm(pass.config.ln_variant, pass.config.half_mode, x, affine, eps); });
}

at::Tensor positions_of(const MegatronPass& pass, const GptParameters& p, std::int64_t seq_len) {
  return layer(pass.events, "embedding.position", [&] {
    const at::Tensor& given = pass.inputs.position_ids;
    return at::embedding(p.positions, given.defined() ? given : at::arange(seq_len, at::kLong).unsqueeze(0));
  });
}

// Every rank has the rows of its part of the vocabulary; other ids give zeros.
at::Tensor rows_of_rank(const at::Tensor& words, const at::Tensor& ids, std::int64_t first) {
  const at::Tensor local = ids.sub(first), outside = local.lt(0).logical_or(local.ge(words.size(0)));
  return at::embedding(words, local.masked_fill(outside, 0)).masked_fill(outside.unsqueeze(-1), 0);
}

at::Tensor lookup(const MegatronPass& pass, const at::Tensor& words, const at::Tensor& ids) {
  if (pass.ranks == nullptr) return at::embedding(words, ids);
  const std::int64_t first = pass.ranks->index() * words.size(0);
  return pass.ranks->reduced(pass.events, "embedding.word", rows_of_rank(words, ids, first));
}

at::Tensor embed(const MegatronPass& pass, const GptParameters& p, const at::Tensor& ids) {
  return layer(pass.events, "embedding", [&] {
    at::Tensor x = layer(pass.events, "embedding.word", [&] { return lookup(pass, p.words, ids); });
    if (p.embedding_norm.weight.defined()) x = norm(pass, "embedding.norm", p.embedding_norm, x, embedding_norm_eps);
    if (p.positions.defined()) x = x.add(positions_of(pass, p, ids.size(1)));
    return at::dropout(x, pass.config.hidden_dropout, true);
  });
}

at::Tensor half_activation(GluActivation glu, HalfMode mode, const at::Tensor& x) {
  switch (glu) {
    case GluActivation::geglu:
      return activate(Activation::gelu, x, mode);
    case GluActivation::reglu:
      return at::relu(x);
    case GluActivation::swiglu:
      return at::silu(x);
    case GluActivation::liglu:
      break;
  }
  return x;
}

// x [s, b, g] without its bias.
at::Tensor activated(const MegatronConfig& config, const at::Tensor& x, const at::Tensor& bias) {
  if (config.fuses_bias_gelu()) return fused_bias_gelu(x, bias);
  const at::Tensor sum = x.add(bias);
  if (config.glu_activation) {
    const auto halves = sum.chunk(2, -1);
    return halves[0].mul(half_activation(*config.glu_activation, config.half_mode, halves[1]));
  }
  if (config.openai_gelu) return tanh_gelu(sum, openai_gelu_constant);
  return config.onnx_safe ? erf_gelu(sum) : activate(Activation::gelu, sum, config.half_mode);
}

at::Tensor feed_forward(const MegatronPass& pass, const GptBlock& block, const std::string& name, at::Tensor x) {
  const auto in = [&](const char* part, auto&& body) { return layer(pass.events, name + part, body); };
  x = column_input(pass, name + ".dense_h_to_4h", x);
  x = in(".dense_h_to_4h", [&] { return linear(pass.config.linears(), x, block.mlp_in.weight, {}); });
  x = in(".activation", [&] { return activated(pass.config, x, block.mlp_in.bias); });
  return in(".dense_4h_to_h", [&] { return row_parallel(pass, name + ".dense_4h_to_h", x, block.mlp_out); });
}

// [s, b, h] -> [b, s, h]. Not as a transpose: its gradient would be strided, and sums over a strided gradient round in
// another order than sums over the contiguous one that a replay has.
at::Tensor batch_first(const at::Tensor& x) { return at::stack(x.unbind(1), 0); }

at::Tensor run_layer(const MegatronPass& pass, const GptBlock& block, std::int64_t index, const at::Tensor& x) {
  const MegatronConfig& config = pass.config;
  const std::string name = "layers." + std::to_string(index);
  const ResidualSum how{.dropout = config.hidden_dropout, .one_rounding = config.bias_dropout_fusion};
  const bool normed = config.apply_residual_connection_post_layernorm;
  return layer(pass.events, name, [&] {
    at::Tensor hidden = norm(pass, name + ".input_layernorm", block.input_norm, x, config.layernorm_epsilon);
    at::Tensor residual = normed ? hidden : x;
    const std::string attention = name + ".self_attention";
    hidden = layer(pass.events, attention, [&] { return megatron_attention(pass, block, index, attention, hidden); });
    const at::Tensor sum = layer(pass.events, name + ".attention_residual",
                                 [&] { return add_to_residual(how, hidden, block.attention_out.bias, residual); });
    hidden = norm(pass, name + ".post_attention_layernorm", block.output_norm, sum, config.layernorm_epsilon);
    residual = normed ? hidden : sum;
    hidden = layer(pass.events, name + ".mlp", [&] { return feed_forward(pass, block, name + ".mlp", hidden); });
    return add_to_residual(how, hidden, block.mlp_out.bias, residual);
  });
}

}  // namespace

at::Tensor megatron_logits(const MegatronConfig& config, const GptParameters& parameters, const GptBatch& batch,
                           const MegatronInputs& inputs, const Events& events, TensorParallel* ranks) {
  const MegatronPass pass{.config = config, .events = events, .inputs = inputs, .padding = batch.mask, .ranks = ranks};
  at::Tensor x = embed(pass, parameters, batch.ids);
  x = layer(events, "encoder.input", [&] {
    const at::Tensor by_position = x.transpose(0, 1).contiguous();
    return config.fp32_residual_connection ? upcast(by_position) : by_position;
  });
  for (std::size_t i = 0; i < parameters.blocks.size(); ++i)
    x = run_layer(pass, parameters.blocks[i], static_cast<std::int64_t>(i), x);
  x = batch_first(x);
  x = norm(pass, "final_layernorm", parameters.final_norm, x, config.layernorm_epsilon);
  x = column_input(pass, "logits", x);
  return layer(events, "logits", [&] {
    at::Tensor logits = linear(config.linears(), x, parameters.head, {});
    if (ranks) logits = ranks->gathered(events, "logits", logits);
    return config.fp16_lm_cross_entropy ? logits : upcast(logits);
  });
}

at::Tensor megatron_loss(const MegatronConfig& config, const at::Tensor& logits, const at::Tensor& labels,
                         const MegatronInputs& inputs, const Events& events) {
  return layer(events, "loss", [&] {
    const at::Tensor columns = config.loss_over_padding ? logits : logits.narrow(-1, 0, config.vocab_size);
    const at::Tensor flat = columns.reshape({-1, columns.size(-1)}), targets = labels.view(-1);
    if (!inputs.loss_mask.defined()) return at::cross_entropy_loss(flat, targets, {}, at::Reduction::Mean);
    const at::Tensor each = at::cross_entropy_loss(flat, targets, {}, at::Reduction::None, ignored_label);
    const at::Tensor sum = each.mul(inputs.loss_mask.view(-1)).sum();
    return inputs.loss_divisor > 0 ? sum.div(inputs.loss_divisor) : sum.div(inputs.loss_mask.sum());
  });
}

}  // namespace goldentrace
