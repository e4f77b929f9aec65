// The post hook on a node that sends gradients out of a layer.
#pragma once

#include <torch/csrc/autograd/function_hook.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "recorder/share.h"

namespace torch::autograd {
struct Node;
}

namespace goldentrace {

struct Session;

// Passes every gradient on unchanged. Runs on whatever thread runs the backward; does nothing once the recording that
// made it is over. `node` owns the hook.
class ShareHook : public torch::autograd::FunctionPostHook {
 public:
  ShareHook(const Session& session, const torch::autograd::Node& node);

  // The gradient that the node sends along its edge `edge` belongs to `share`.
  void add(std::uint32_t edge, std::shared_ptr<Share> share) { shares_.emplace_back(edge, std::move(share)); }
  bool empty() const { return shares_.empty(); }

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& grad_inputs,
                                            const torch::autograd::variable_list& grad_outputs) override;

 private:
  // As the engine will deliver it: summed to the receiver's shape and cast to its dtype.
  at::Tensor delivered(std::uint32_t edge, const at::Tensor& gradient) const;

  std::uint64_t generation_;
  const torch::autograd::Node& node_;
  std::vector<std::pair<std::uint32_t, std::shared_ptr<Share>>> shares_;
};

}  // namespace goldentrace
