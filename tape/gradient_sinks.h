// The places of the autograd graph where the gradients of a tape's externals arrive. Internal to tape/.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>

#include <memory>
#include <vector>

namespace goldentrace {

// One edge per external, in order; invalid where it requires no gradient.
struct GradientSinks {
  std::vector<torch::autograd::Edge> edges;
};

// Before the run: ops that write in place give a tensor another edge.
std::shared_ptr<const GradientSinks> make_gradient_sinks(const std::vector<at::Tensor>& externals);

}  // namespace goldentrace
