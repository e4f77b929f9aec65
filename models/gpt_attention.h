// Self-attention of the Hugging Face-shaped GPT-2. b batch, s sequence, h hidden, n heads, d = h / n.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "models/events.h"
#include "models/gpt_config.h"
#include "models/gpt_parameters.h"

namespace goldentrace {

// What all blocks of one forward pass share.
struct GptPass {
  const GptConfig& config;
  const Events& events;
  at::Tensor mask;  // [b, s] int64, 0 = padding; undefined: no padding
};

// 0 where a query may see a key, else the fill value, in the model's dtype: [1 or b, 1, s, s].
at::Tensor additive_mask(const GptConfig& config, const at::Tensor& padding, std::int64_t seq_len,
                         at::ScalarType dtype);

// Everything inside the label `name` ("h.0.attn"): [b, s, h] -> [b, s, h]. With megatron_mode.bda the result is that of
// c_proj: dropout and, if it is separate, the bias are left to the sum with the residual.
at::Tensor attention(const GptPass& pass, const GptBlock& block, std::int64_t layer_index, const std::string& name,
                     const at::Tensor& x);

}  // namespace goldentrace
