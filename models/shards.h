// What data-parallel shards of one batch have, as that of the whole batch. Not seen by recorders: a trace says what
// entered and what came out, and both forms, in one process and over several, have the same of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "models/named_tensor.h"

namespace goldentrace {

class RankGroup;

at::Tensor ordered_sum(const std::vector<at::Tensor>& parts);     // ((t_0 + t_1) + …) in their dtype; at least one
at::Tensor mean_of_shards(const std::vector<at::Tensor>& parts);  // that, divided by their number: shards of one size
// The gradients of one parameter after the other: sum += shard, an empty sum being nothing yet.
void add_shard(std::vector<at::Tensor>& sum, const std::vector<at::Tensor>& shard);
void divide(const std::vector<at::Tensor>& sum, std::int64_t shards);
// Both over processes; `gradients` are this one's.
std::vector<at::Tensor> mean_over_ranks(RankGroup& ranks, const NamedTensors& parameters,
                                        const std::vector<at::Tensor>& gradients);

// The gradients themselves; they stay where they are when the parameters get others.
std::vector<at::Tensor> gradients_of(const NamedTensors& parameters);
void set_gradients(const NamedTensors& parameters, const std::vector<at::Tensor>& gradients);

}  // namespace goldentrace
