// Megatron's scale-mask-softmax and which of its kernels is modelled. b batch, n heads, q queries, k keys.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "models/megatron_config.h"

namespace goldentrace {

enum class SoftmaxPath {
  torch,         // ops of torch
  fused_causal,  // one kernel in float32 that never reads above the diagonal
  fused_masked,  // one kernel in float32 with a mask; a row without any open key gives zeros
};

std::string_view name(SoftmaxPath path);  // "torch", "fused-causal", "fused-masked"

// Which one Megatron-DeepSpeed takes for scores of these sizes: a fused one for half types, 16 < k <= 4096, multiples
// of 4 and full blocks; it therefore changes with the sequence length. `masked`: a mask is given besides the causal
// one.
SoftmaxPath softmax_path(const MegatronConfig& config, at::ScalarType dtype, std::int64_t batch, std::int64_t seq_len,
                         bool masked);

// scores [b, n, q, k], divided by `coefficient` already; masked bool [1 or b, 1, q, k] -> probabilities, same type.
at::Tensor megatron_softmax(const MegatronConfig& config, SoftmaxPath path, const at::Tensor& scores,
                            const at::Tensor& masked, double coefficient);

}  // namespace goldentrace
