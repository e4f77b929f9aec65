#include "models/gpt_shards.h"

#include <ATen/ops/cat.h>

#include "models/option_check.h"

namespace goldentrace {
namespace {

at::Tensor copy(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.clone(at::MemoryFormat::Contiguous) : tensor;
}

Affine copy(const Affine& affine) { return {copy(affine.weight), copy(affine.bias)}; }

at::Tensor part(const at::Tensor& whole, std::int64_t axis, const WeightShard& shard) {
  const std::int64_t size = whole.size(axis) / shard.count;
  return copy(whole.narrow(axis, shard.index * size, size));
}

Affine rows(const Affine& whole, const WeightShard& shard) {
  return {part(whole.weight, 0, shard), part(whole.bias, 0, shard)};
}

// The bias is added to the sum of all.
Affine columns(const Affine& whole, const WeightShard& shard) {
  return {part(whole.weight, 1, shard), copy(whole.bias)};
}

at::Tensor gated_rows(const at::Tensor& whole, const WeightShard& shard) {
  const auto halves = whole.chunk(2, 0);
  return at::cat({part(halves[0], 0, shard), part(halves[1], 0, shard)}, 0);
}

GptBlock shard_block(const GptBlock& whole, bool gated, const WeightShard& shard) {
  const Affine mlp_in = gated ? Affine{gated_rows(whole.mlp_in.weight, shard), gated_rows(whole.mlp_in.bias, shard)}
                              : rows(whole.mlp_in, shard);
  return {.input_norm = copy(whole.input_norm),
          .query_key_value = rows(whole.query_key_value, shard),
          .attention_out = columns(whole.attention_out, shard),
          .output_norm = copy(whole.output_norm),
          .mlp_in = mlp_in,
          .mlp_out = columns(whole.mlp_out, shard)};
}

}  // namespace

MegatronConfig shard_config(const MegatronConfig& whole, std::int64_t count) {
  MegatronConfig config = whole;
  config.kv_channels = whole.head_dim();
  config.ffn_hidden_size = whole.inner() / count;
  config.num_query_groups = whole.groups() / count;
  config.num_attention_heads = whole.num_attention_heads / count;
  config.tensor_model_parallel_size = 1;
  return config;
}

GptParameters shard_parameters(const GptParameters& whole, const MegatronConfig& config, const WeightShard& shard) {
  GptParameters result;
  result.words = part(whole.words, 0, shard);
  result.positions = copy(whole.positions);
  result.embedding_norm = copy(whole.embedding_norm);
  for (const GptBlock& block : whole.blocks)
    result.blocks.push_back(shard_block(block, config.glu_activation.has_value(), shard));
  result.final_norm = copy(whole.final_norm);
  result.head = whole.head.is_same(whole.words) ? result.words : part(whole.head, 0, shard);
  return result;
}

void check_shards(const MegatronConfig& whole, std::int64_t count) {
  require_divides("tensor_model_parallel_size", count, "the padded vocabulary", whole.padded_vocab());
}

}  // namespace goldentrace
