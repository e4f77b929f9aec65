#include "models/gpt_parameters.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "checkpoints/hf_names.h"

namespace goldentrace {
namespace {

Affine allocate_linear(const GptDims& dims, std::int64_t out, std::int64_t in) {
  const bool out_first = dims.layout == LinearLayout::out_first;
  return {at::empty({out_first ? out : in, out_first ? in : out}, at::kFloat), at::zeros({out}, at::kFloat)};
}

Affine allocate_norm(std::int64_t width) { return {at::ones({width}, at::kFloat), at::zeros({width}, at::kFloat)}; }

GptBlock allocate_block(const GptDims& dims) {
  return {.input_norm = allocate_norm(dims.hidden),
          .query_key_value = allocate_linear(dims, dims.query_key_value, dims.hidden),
          .attention_out = allocate_linear(dims, dims.hidden, dims.attention),
          .output_norm = allocate_norm(dims.hidden),
          .mlp_in = allocate_linear(dims, dims.mlp_in, dims.hidden),
          .mlp_out = allocate_linear(dims, dims.hidden, dims.inner)};
}

void add(NamedTensors& list, const std::string& name, const Affine& affine) {
  list.push_back({name + ".weight", affine.weight});
  list.push_back({name + ".bias", affine.bias});
}

void add(NamedTensors& list, const std::string& name, const GptBlock& block) {
  add(list, name + ".input_layernorm", block.input_norm);
  add(list, name + ".self_attention.query_key_value", block.query_key_value);
  add(list, name + ".self_attention.dense", block.attention_out);
  add(list, name + ".post_attention_layernorm", block.output_norm);
  add(list, name + ".mlp.dense_h_to_4h", block.mlp_in);
  add(list, name + ".mlp.dense_4h_to_h", block.mlp_out);
}

at::Tensor trainable_if_any(const at::Tensor& tensor, at::ScalarType dtype) {
  return tensor.defined() ? trainable(tensor, dtype) : tensor;
}

GptBlock trainable(const GptBlock& block, at::ScalarType dtype) {
  return {.input_norm = trainable(block.input_norm, dtype),
          .query_key_value = trainable(block.query_key_value, dtype),
          .attention_out = trainable(block.attention_out, dtype),
          .output_norm = trainable(block.output_norm, dtype),
          .mlp_in = trainable(block.mlp_in, dtype),
          .mlp_out = trainable(block.mlp_out, dtype)};
}

}  // namespace

GptParameters allocate_parameters(const GptDims& dims) {
  GptParameters p;
  p.words = at::empty({dims.vocab, dims.hidden}, at::kFloat);
  if (dims.positions > 0) p.positions = at::empty({dims.positions, dims.hidden}, at::kFloat);
  if (dims.embedding_norm) p.embedding_norm = allocate_norm(dims.hidden);
  for (std::int64_t i = 0; i < dims.layers; ++i) p.blocks.push_back(allocate_block(dims));
  p.final_norm = allocate_norm(dims.hidden);
  p.head = dims.tied_head ? p.words : at::empty({dims.vocab, dims.hidden}, at::kFloat);
  return p;
}

GptParameters trainable(const GptParameters& p, at::ScalarType dtype) {
  GptParameters result;
  result.words = trainable(p.words, dtype);
  result.positions = trainable_if_any(p.positions, dtype);
  result.embedding_norm = {trainable_if_any(p.embedding_norm.weight, dtype),
                           trainable_if_any(p.embedding_norm.bias, dtype)};
  for (const GptBlock& block : p.blocks) result.blocks.push_back(trainable(block, dtype));
  result.final_norm = trainable(p.final_norm, dtype);
  result.head = p.head.is_same(p.words) ? result.words : trainable(p.head, dtype);
  return result;
}

NamedTensors canonical(const GptParameters& p) {
  NamedTensors list{{"word_embeddings.weight", p.words}};
  if (p.positions.defined()) list.push_back({"position_embeddings.weight", p.positions});
  if (p.embedding_norm.weight.defined()) add(list, "word_embeddings.norm", p.embedding_norm);
  for (std::size_t i = 0; i < p.blocks.size(); ++i) add(list, "layers." + std::to_string(i), p.blocks[i]);
  add(list, "final_layernorm", p.final_norm);
  if (!p.head.is_same(p.words)) list.push_back({"head.weight", p.head});
  return list;
}

std::string own_key(GptKind kind, const std::string& canonical_key) {
  if (kind == GptKind::megatron) return canonical_key;
  return hf_key(kind == GptKind::hf ? HfModel::gpt2 : HfModel::bloom, canonical_key);
}

NamedTensors named(const GptParameters& parameters, GptKind kind) {
  NamedTensors list = canonical(parameters);
  for (NamedTensor& entry : list) entry.name = own_key(kind, entry.name);
  return list;
}

}  // namespace goldentrace
