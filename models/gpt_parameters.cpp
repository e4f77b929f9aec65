#include "models/gpt_parameters.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace goldentrace {
namespace {

constexpr double construction_std = 0.02;  // Conv1D's own, whatever initializer_range says

Affine allocate_conv1d(std::int64_t in, std::int64_t out) {
  return {at::empty({in, out}, at::kFloat), at::zeros({out}, at::kFloat)};
}
Affine allocate_norm(std::int64_t width) { return {at::ones({width}, at::kFloat), at::zeros({width}, at::kFloat)}; }

GptBlock allocate_block(const GptConfig& c) {
  return {.ln_1 = allocate_norm(c.n_embd),
          .attn_c_attn = allocate_conv1d(c.n_embd, 3 * c.n_embd),
          .attn_c_proj = allocate_conv1d(c.n_embd, c.n_embd),
          .ln_2 = allocate_norm(c.n_embd),
          .mlp_c_fc = allocate_conv1d(c.n_embd, c.inner()),
          .mlp_c_proj = allocate_conv1d(c.inner(), c.n_embd)};
}

void draw_construction(GptParameters& p) {
  p.wte.normal_();
  p.wpe.normal_();
  for (GptBlock& block : p.h)
    for (Affine* conv1d : {&block.attn_c_attn, &block.attn_c_proj, &block.mlp_c_fc, &block.mlp_c_proj})
      conv1d->weight.normal_(0, construction_std);
}

// Both projections that write to the residual stream are drawn twice, the second time narrower.
void draw_block(GptBlock& block, double std, double residual_std) {
  block.attn_c_attn.weight.normal_(0, std);
  block.attn_c_proj.weight.normal_(0, std);
  block.attn_c_proj.weight.normal_(0, residual_std);
  block.mlp_c_fc.weight.normal_(0, std);
  block.mlp_c_proj.weight.normal_(0, std);
  block.mlp_c_proj.weight.normal_(0, residual_std);
}

void add(NamedTensors& list, const std::string& name, const Affine& affine) {
  list.push_back({name + ".weight", affine.weight});
  list.push_back({name + ".bias", affine.bias});
}

void add(NamedTensors& list, const std::string& name, const GptBlock& block) {
  add(list, name + ".ln_1", block.ln_1);
  add(list, name + ".attn.c_attn", block.attn_c_attn);
  add(list, name + ".attn.c_proj", block.attn_c_proj);
  add(list, name + ".ln_2", block.ln_2);
  add(list, name + ".mlp.c_fc", block.mlp_c_fc);
  add(list, name + ".mlp.c_proj", block.mlp_c_proj);
}

GptBlock trainable(const GptBlock& block, at::ScalarType dtype) {
  return {.ln_1 = trainable(block.ln_1, dtype),
          .attn_c_attn = trainable(block.attn_c_attn, dtype),
          .attn_c_proj = trainable(block.attn_c_proj, dtype),
          .ln_2 = trainable(block.ln_2, dtype),
          .mlp_c_fc = trainable(block.mlp_c_fc, dtype),
          .mlp_c_proj = trainable(block.mlp_c_proj, dtype)};
}

}  // namespace

GptParameters allocate_parameters(const GptConfig& c) {
  GptParameters p;
  p.wte = at::empty({c.vocab_size, c.n_embd}, at::kFloat);
  p.wpe = at::empty({c.n_positions, c.n_embd}, at::kFloat);
  for (std::int64_t i = 0; i < c.n_layer; ++i) p.h.push_back(allocate_block(c));
  p.ln_f = allocate_norm(c.n_embd);
  p.lm_head = c.tie_word_embeddings ? p.wte : at::empty({c.vocab_size, c.n_embd}, at::kFloat);
  return p;
}

void draw_parameters(GptParameters& p, const GptConfig& c) {
  draw_construction(p);
  p.wte.normal_(0, c.initializer_range);
  p.wpe.normal_(0, c.initializer_range);
  const double residual_std = c.initializer_range / std::sqrt(2.0 * static_cast<double>(c.n_layer));
  for (GptBlock& block : p.h) draw_block(block, c.initializer_range, residual_std);
  at::Tensor head = c.tie_word_embeddings ? at::empty({c.vocab_size, c.n_embd}, at::kFloat) : p.lm_head;
  head.uniform_(-1, 1);
  head.normal_(0, c.initializer_range);
}

GptParameters trainable(const GptParameters& p, at::ScalarType dtype) {
  GptParameters result;
  result.wte = trainable(p.wte, dtype);
  result.wpe = trainable(p.wpe, dtype);
  for (const GptBlock& block : p.h) result.h.push_back(trainable(block, dtype));
  result.ln_f = trainable(p.ln_f, dtype);
  result.lm_head = p.lm_head.is_same(p.wte) ? result.wte : trainable(p.lm_head, dtype);
  return result;
}

NamedTensors named(const GptParameters& p) {
  NamedTensors list{{"transformer.wte.weight", p.wte}, {"transformer.wpe.weight", p.wpe}};
  for (std::size_t i = 0; i < p.h.size(); ++i) add(list, "transformer.h." + std::to_string(i), p.h[i]);
  add(list, "transformer.ln_f", p.ln_f);
  if (!p.lm_head.is_same(p.wte)) list.push_back({"lm_head.weight", p.lm_head});
  return list;
}

}  // namespace goldentrace
