// Forward pass and loss of the Megatron-shaped GPT. V padded vocabulary, s sequence, b batch.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/events.h"
#include "models/gpt.h"
#include "models/gpt_parameters.h"
#include "models/megatron_config.h"
#include "models/megatron_inputs.h"
#include "models/tensor_parallel.h"

namespace goldentrace {

// [b, s, V], float32 for models in half types (unless fp16_lm_cross_entropy). Layers work on [s, b, h]. Dropout is on
// wherever its probability is not 0. With `ranks`, configuration and parameters are those of this rank (gpt_shards.h),
// and the logits are still those of the whole vocabulary.
at::Tensor megatron_logits(const MegatronConfig& config, const GptParameters& parameters, const GptBatch& batch,
                           const MegatronInputs& inputs, const Events& events, TensorParallel* ranks = nullptr);

// Cross entropy of each token, weighed by the loss mask: a scalar. The softmax includes the columns that pad the
// vocabulary unless loss_over_padding is off.
at::Tensor megatron_loss(const MegatronConfig& config, const at::Tensor& logits, const at::Tensor& labels,
                         const MegatronInputs& inputs, const Events& events);

}  // namespace goldentrace
