// The weights of a GPT of any shape: V vocabulary rows, P positions, h hidden, a all heads together, q outputs of the
// query-key-value projection, f inner, g outputs of the first linear of the MLP.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "models/gpt_dims.h"
#include "models/gpt_kind.h"
#include "models/linear_init.h"
#include "models/named_tensor.h"

namespace goldentrace {

// Shapes of weights with out-features first; Conv1D weights are transposed.
struct GptBlock {
  Affine input_norm;       // [h], [h]
  Affine query_key_value;  // [q, h], [q]
  Affine attention_out;    // [h, a], [h]
  Affine output_norm;      // [h], [h]: between attention and MLP
  Affine mlp_in;           // [g, h], [g]
  Affine mlp_out;          // [h, f], [h]
};

struct GptParameters {
  at::Tensor words;       // [V, h]
  at::Tensor positions;   // [P, h]; undefined without a table
  Affine embedding_norm;  // [h], [h]; undefined without one
  std::vector<GptBlock> blocks;
  Affine final_norm;  // [h], [h]
  at::Tensor head;    // [V, h]; the same tensor as words when tied
};

// float32; matrices uninitialised, biases 0, norms 1 and 0.
GptParameters allocate_parameters(const GptDims& dims);

// The same in another dtype, requiring gradients; a tied head stays tied.
GptParameters trainable(const GptParameters& parameters, at::ScalarType dtype);

// Under the keys of checkpoints/gpt_shape.h ("word_embeddings.weight", "layers.0.mlp.dense_h_to_4h.bias"), in their
// order, a tied head left out.
NamedTensors canonical(const GptParameters& parameters);

// The same under the keys of the shape's own checkpoints: transformers' for hf and bloom, the canonical ones for
// megatron.
NamedTensors named(const GptParameters& parameters, GptKind kind);
std::string own_key(GptKind kind, const std::string& canonical_key);

}  // namespace goldentrace
