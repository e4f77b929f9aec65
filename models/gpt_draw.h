// Initial weights from the default generator.
#pragma once

#include "models/bloom_config.h"
#include "models/gpt_config.h"
#include "models/gpt_parameters.h"
#include "models/megatron_config.h"

namespace goldentrace {

// Every draw that transformers 5 makes for GPT2LMHeadModel(config), in its order, the overwritten ones and the tied
// head's included: after the same seed both have the same weights, and the generator is in the same state.
void draw_parameters(GptParameters& parameters, const GptConfig& config);

// Megatron's --use-cpu-initialization: tables, then layer by layer query_key_value, dense, dense_h_to_4h,
// dense_4h_to_h, an untied head last; normal(0, std), the second of each pair with std / sqrt(2 layers), or Xavier
// uniform. Whole matrices, so that they are the same at every degree of parallelism. Rows that pad the vocabulary are
// drawn too.
void draw_parameters(GptParameters& parameters, const MegatronConfig& config);

// normal(0, initializer_range) in the order of the parameters. Not transformers' draws: load a checkpoint for those.
void draw_parameters(GptParameters& parameters, const BloomConfig& config);

}  // namespace goldentrace
