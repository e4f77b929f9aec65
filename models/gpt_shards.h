// The parts of a GPT in the shape of Megatron that its tensor-parallel ranks hold.
#pragma once

#include <cstdint>

#include "models/gpt_parameters.h"
#include "models/megatron_config.h"

namespace goldentrace {

// Which of how many.
struct WeightShard {
  std::int64_t index = 0, count = 1;
};

// The configuration of one rank: its heads, its groups of them, its part of the MLP.
MegatronConfig shard_config(const MegatronConfig& whole, std::int64_t count);

// Copies of this rank's part: rows of the word embedding and the head, of query_key_value (its heads) and of
// dense_h_to_4h (of a gated MLP its gates, then its values), with their biases; columns of dense and dense_4h_to_h; all
// else whole. A tied head stays tied.
GptParameters shard_parameters(const GptParameters& whole, const MegatronConfig& config, const WeightShard& shard);

// Error(usage) unless `count` divides what the ranks share beyond what check() asks of the configuration.
void check_shards(const MegatronConfig& whole, std::int64_t count);

}  // namespace goldentrace
