#include "models/shards.h"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include "models/rank_group.h"

namespace goldentrace {

at::Tensor ordered_sum(const std::vector<at::Tensor>& parts) {
  const at::DisableRecordFunctionGuard unobserved;
  const at::NoGradGuard no_gradients;
  at::Tensor total = parts.front().clone();
  for (std::size_t i = 1; i < parts.size(); ++i) total.add_(parts[i]);
  return total;
}

at::Tensor mean_of_shards(const std::vector<at::Tensor>& parts) {
  const at::DisableRecordFunctionGuard unobserved;
  const at::NoGradGuard no_gradients;
  return ordered_sum(parts).div_(static_cast<double>(parts.size()));
}

void add_shard(std::vector<at::Tensor>& sum, const std::vector<at::Tensor>& shard) {
  const at::DisableRecordFunctionGuard unobserved;
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < shard.size(); ++i) {
    if (i < sum.size())
      sum[i].add_(shard[i]);
    else
      sum.push_back(shard[i].clone());
  }
}

void divide(const std::vector<at::Tensor>& sum, std::int64_t shards) {
  const at::DisableRecordFunctionGuard unobserved;
  const at::NoGradGuard no_gradients;
  for (const at::Tensor& each : sum) each.div_(static_cast<double>(shards));
}

std::vector<at::Tensor> mean_over_ranks(RankGroup& ranks, const NamedTensors& parameters,
                                        const std::vector<at::Tensor>& gradients) {
  std::vector<at::Tensor> means;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    means.push_back(ranks.mean(gradients[i], "the gradient of " + parameters[i].name));
  return means;
}

std::vector<at::Tensor> gradients_of(const NamedTensors& parameters) {
  std::vector<at::Tensor> gradients;
  for (const NamedTensor& entry : parameters) gradients.push_back(entry.tensor.grad());
  return gradients;
}

void set_gradients(const NamedTensors& parameters, const std::vector<at::Tensor>& gradients) {
  for (std::size_t i = 0; i < parameters.size(); ++i) at::Tensor(parameters[i].tensor).mutable_grad() = gradients[i];
}

}  // namespace goldentrace
