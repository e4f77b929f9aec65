// What the layers of a model do together with the other ranks that hold parts of the same weights.
//
// Shoeybi et al., "Megatron-LM": column-parallel layers compute a part of the output from a whole input, row-parallel
// ones a share of a whole output from a part of the input. Each exchange is a label of its own, LAYER.all_reduce or
// LAYER.all_gather, whose first input is what this rank brings and whose output is what all have then.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>

#include "models/events.h"
#include "models/rank_fault.h"
#include "models/rank_group.h"

namespace goldentrace {

// Every rank calls the same members in the same order, its backward passes included. What other ranks bring arrives as
// tensors without a graph; what is done with them are ordinary ops of this rank, so that its tape can do it again.
// Errors are those of RankLink.
class TensorParallel {
 public:
  // `ranks` must outlive it and every graph that it was part of. `seed` is that of all ranks.
  TensorParallel(RankGroup& ranks, std::uint64_t seed, RankFault fault = {});

  std::int64_t index() const { return ranks_.index(); }
  std::int64_t size() const { return ranks_.size(); }

  // In front of the column-parallel layer: x as it is; its gradient is the sum of what the ranks have of it.
  at::Tensor copied(const Events& events, const std::string& layer, const at::Tensor& x) const;
  // ((x_0 + x_1) + …) in the dtype of x: the same bits on every rank. The gradient is handed on.
  at::Tensor reduced(const Events& events, const std::string& layer, const at::Tensor& x) const;
  // Those of all ranks side by side in the last dimension; the gradient is the own part.
  at::Tensor gathered(const Events& events, const std::string& layer, const at::Tensor& x) const;

  // draw() with the default generator in the state of this rank's own stream, which goes on from call to call. The
  // default stream stays where it is.
  at::Tensor in_own_stream(const std::function<at::Tensor()>& draw);

 private:
  at::Tensor ordered_total(const std::string& label, const at::Tensor& x) const;

  RankGroup& ranks_;
  RankFault fault_;
  at::Tensor stream_;  // the generator's state
};

}  // namespace goldentrace
