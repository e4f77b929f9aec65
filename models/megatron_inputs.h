// What Megatron's trainer derives from a batch beside the ids: attention mask, positions and the weights of the losses.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/gpt.h"
#include "models/megatron_config.h"

namespace goldentrace {

// Undefined where the default holds.
struct MegatronInputs {
  at::Tensor masked;        // bool [b, 1, s, s], true = not seen; default: causal
  at::Tensor position_ids;  // int64 [b, s]; default: 0 … s-1
  at::Tensor loss_mask;     // float32 [b, s]; default: 1 for each label that is not -100
  double loss_divisor = 0;  // 0: the sum of the loss mask
};

// With reset_attention_mask a token sees nothing before the last end of a document that precedes it; with
// reset_position_ids positions restart behind it; eod_mask_loss takes it out of the loss.
//
// Prefix-LM: the first p tokens of a row (of each of its documents with reset_attention_mask) see each other in both
// directions. loss_on_targets_only weighs only targets, from position p-1 on, which predicts the first of them; the
// reweighting multiplies position i by 2(s-i)/(s+1). The divisor is constant: b(s+1)/2 with targets only, b·s
// otherwise. PrefixRule::older: targets from position p on, and the sum of the loss mask as divisor.
//
// Not seen by recorders; the results are declared model inputs.
MegatronInputs megatron_inputs(const MegatronConfig& config, const GptBatch& batch);

// Error(usage) for prefixes that a row cannot have, missing ones, and ones that no option asked for. After the checks
// of ids.
void check_prefixes(const MegatronConfig& config, const GptBatch& batch);

}  // namespace goldentrace
