// Forward pass and loss of the Hugging Face-shaped GPT-2: bit-equal to transformers 5 with eager attention.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/events.h"
#include "models/gpt_config.h"
#include "models/gpt_parameters.h"

namespace goldentrace {

// ids and mask as in GptBatch (mask may be undefined) -> [b, s, V]. Dropout is on wherever its probability is not 0.
at::Tensor gpt_logits(const GptConfig& config, const GptParameters& parameters, const at::Tensor& ids,
                      const at::Tensor& mask, const Events& events);

// Mean cross entropy over the labels that are not -100, in float32 whatever the logits are: a scalar.
at::Tensor gpt_loss(const at::Tensor& logits, const at::Tensor& labels, const Events& events);

}  // namespace goldentrace
