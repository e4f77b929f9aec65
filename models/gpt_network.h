// One forward pass of a GPT of any shape.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/events.h"
#include "models/gpt.h"
#include "models/gpt_parameters.h"
#include "models/tensor_parallel.h"

namespace goldentrace {

struct GptForward {
  at::Tensor logits;  // [b, s, V]
  at::Tensor loss;    // a scalar
};

// `batch` with labels. What the shape derives from the batch is declared as a model input. With `ranks` the parameters
// are the part that this rank of the megatron shape has.
GptForward run_network(const GptOptions& options, const GptParameters& parameters, const GptBatch& batch,
                       const Events& events, TensorParallel* ranks = nullptr);

}  // namespace goldentrace
