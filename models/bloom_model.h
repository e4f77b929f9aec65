// Forward pass of the BLOOM-shaped GPT: bit-equal to transformers 5 with eager attention.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/bloom_config.h"
#include "models/events.h"
#include "models/gpt_parameters.h"

namespace goldentrace {

// ids and mask as in GptBatch (mask may be undefined) -> [b, s, V]. Dropout is on wherever its probability is not 0.
at::Tensor bloom_logits(const BloomConfig& config, const GptParameters& parameters, const at::Tensor& ids,
                        const at::Tensor& mask, const Events& events);

}  // namespace goldentrace
