#include "tape/gradient_sinks.h"

#include <torch/csrc/autograd/variable.h>

namespace goldentrace {

std::shared_ptr<const GradientSinks> make_gradient_sinks(const std::vector<at::Tensor>& externals) {
  auto sinks = std::make_shared<GradientSinks>();
  for (const at::Tensor& external : externals) {
    sinks->edges.push_back(external.requires_grad() ? torch::autograd::impl::gradient_edge(external)
                                                    : torch::autograd::Edge());
  }
  return sinks;
}

}  // namespace goldentrace
