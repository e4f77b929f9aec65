// The activation functions of GPT-2 checkpoints, op by op as transformers evaluates them.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/gpt_config.h"

namespace goldentrace {

// gelu_new           0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), with pow
// gelu_fast          0.5 x (1 + tanh(0.7978845608 x (1 + 0.044715 x x)))
// gelu               x Phi(x) by erf, one library op
// gelu_pytorch_tanh  the tanh form as one library op
// quick_gelu         x sigmoid(1.702 x)
at::Tensor activate(Activation function, const at::Tensor& x);

}  // namespace goldentrace
