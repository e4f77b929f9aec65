// The activation functions of GPT-2 checkpoints, op by op as transformers evaluates them.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/gpt_config.h"
#include "models/half_mode.h"

namespace goldentrace {

// gelu_new           0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), with pow
// gelu_fast          0.5 x (1 + tanh(0.7978845608 x (1 + 0.044715 x x)))
// gelu               x Phi(x) by erf, one library op
// gelu_pytorch_tanh  the tanh form as one library op
// quick_gelu         x sigmoid(1.702 x)
// Elementwise ops of half types round as emulated ones do; only the form by erf does not.
at::Tensor activate(Activation function, const at::Tensor& x, HalfMode mode = HalfMode::native);

inline constexpr double megatron_gelu_constant = 0.79788456;        // of bias_gelu and of BLOOM
inline constexpr double openai_gelu_constant = 0.7978845608028654;  // sqrt(2/pi)

// 0.5 x (1 + tanh(constant x (1 + 0.044715 x x))), op by op
at::Tensor tanh_gelu(const at::Tensor& x, double constant);

// Megatron's bias_gelu, the whole formula of x + bias rounded once; `bias` may be undefined.
at::Tensor fused_bias_gelu(const at::Tensor& x, const at::Tensor& bias);

// x Phi(x) by erf, with 1.41421 for sqrt(2), op by op: Megatron's --onnx-safe
at::Tensor erf_gelu(const at::Tensor& x);

}  // namespace goldentrace
