#include "models/rank_group.h"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include <algorithm>

#include "models/shards.h"

namespace goldentrace {
namespace {

constexpr std::int32_t group_kinds = 8, different_tags = 1 << 24;

}  // namespace

RankGroup::RankGroup(RankLink& link, std::vector<std::int64_t> members, std::int32_t kind)
    : link_(link),
      members_(std::move(members)),
      index_(std::ranges::find(members_, link.rank()) - members_.begin()),
      kind_(kind) {}

std::vector<at::Tensor> RankGroup::gather(const at::Tensor& mine, const std::string& what) {
  exchanges_ = (exchanges_ + 1) % different_tags;
  return link_.exchange(members_, mine, exchanges_ * group_kinds + kind_, what);
}

at::Tensor RankGroup::sum(const at::Tensor& mine, const std::string& what) {
  const at::DisableRecordFunctionGuard unobserved;
  const at::NoGradGuard no_gradients;
  return ordered_sum(gather(mine, what));
}

at::Tensor RankGroup::mean(const at::Tensor& mine, const std::string& what) {
  const at::DisableRecordFunctionGuard unobserved;
  return mean_of_shards(gather(mine, what));
}

}  // namespace goldentrace
