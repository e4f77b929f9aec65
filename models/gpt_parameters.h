// The weights of a Hugging Face-shaped GPT-2: V vocabulary, P positions, h hidden, f inner.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "models/gpt_config.h"
#include "models/linear_init.h"
#include "models/named_tensor.h"

namespace goldentrace {

struct GptBlock {
  Affine ln_1;         // [h], [h]
  Affine attn_c_attn;  // [h, 3h], [3h]: weights lie in-features first (Conv1D)
  Affine attn_c_proj;  // [h, h], [h]
  Affine ln_2;         // [h], [h]
  Affine mlp_c_fc;     // [h, f], [f]
  Affine mlp_c_proj;   // [f, h], [h]
};

struct GptParameters {
  at::Tensor wte;  // [V, h]
  at::Tensor wpe;  // [P, h]
  std::vector<GptBlock> h;
  Affine ln_f;         // [h], [h]
  at::Tensor lm_head;  // [V, h]; the same tensor as wte when tied
};

// float32; matrices uninitialised, biases 0, norms 1 and 0.
GptParameters allocate_parameters(const GptConfig& config);

// Every draw that transformers 5 makes for GPT2LMHeadModel(config), in its order, the overwritten ones and the tied
// head's included: after the same seed both have the same weights, and the generator is in the same state.
void draw_parameters(GptParameters& parameters, const GptConfig& config);

// The same in another dtype, requiring gradients; a tied head stays tied.
GptParameters trainable(const GptParameters& parameters, at::ScalarType dtype);

// Keys of a transformers checkpoint ("transformer.wte.weight", … "lm_head.weight"), in its order, a tied head left out.
NamedTensors named(const GptParameters& parameters);

}  // namespace goldentrace
