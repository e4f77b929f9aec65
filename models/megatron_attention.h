// Self-attention of the Megatron-shaped GPT. s sequence, b batch, h hidden, n heads, d head size.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "models/events.h"
#include "models/gpt_parameters.h"
#include "models/megatron_config.h"
#include "models/megatron_inputs.h"
#include "models/tensor_parallel.h"

namespace goldentrace {

// What all layers of one forward pass share.
struct MegatronPass {
  const MegatronConfig& config;  // with `ranks` that of one: see gpt_shards.h
  const Events& events;
  const MegatronInputs& inputs;
  at::Tensor padding;               // [b, s] int64, 0 = padding; undefined: no padding
  TensorParallel* ranks = nullptr;  // null: this process has the whole model
};

// What a column-parallel layer of that label reads.
at::Tensor column_input(const MegatronPass& pass, const std::string& label, const at::Tensor& x);

// The output projection of attention or MLP, of that label, without its bias: with tensor parallelism the sum of the
// ranks' products.
at::Tensor row_parallel(const MegatronPass& pass, const std::string& label, const at::Tensor& x, const Affine& affine);

// Everything inside the label `name` ("layers.0.self_attention"): [s, b, h] -> [s, b, h], without the bias of the
// output projection, which is added where dropout and residual are. n is the heads of this process.
at::Tensor megatron_attention(const MegatronPass& pass, const GptBlock& block, std::int64_t layer_index,
                              const std::string& name, const at::Tensor& x);

}  // namespace goldentrace
