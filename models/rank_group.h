// Ranks that combine tensors: all ranks of a run, or those of one row or column of its mesh.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/rank_link.h"

namespace goldentrace {

// Every member calls the same functions in the same order. Errors are those of RankLink. Not seen by recorders.
class RankGroup {
 public:
  // `members`: ranks in ascending order, this process among them. `kind` tells groups apart that a rank is in, from 0
  // to 7. `link` must outlive the group.
  RankGroup(RankLink& link, std::vector<std::int64_t> members, std::int32_t kind);

  std::int64_t index() const { return index_; }  // of this process among the members
  std::int64_t size() const { return static_cast<std::int64_t>(members_.size()); }

  // By index; all of one shape and dtype. `what` is for messages.
  std::vector<at::Tensor> gather(const at::Tensor& mine, const std::string& what);

  // ((t_0 + t_1) + …) in their dtype: the same bits on every member, and those of one process that adds in this order.
  at::Tensor sum(const at::Tensor& mine, const std::string& what);
  at::Tensor mean(const at::Tensor& mine, const std::string& what);  // that, divided by their number

 private:
  RankLink& link_;
  std::vector<std::int64_t> members_;
  std::int64_t index_ = 0;
  std::int32_t kind_;
  std::int32_t exchanges_ = 0;
};

}  // namespace goldentrace
