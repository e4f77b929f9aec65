// Looking at the autograd graph without touching it: grad_fn() of a view may make a node, these functions never do.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

namespace torch::autograd {
struct Node;
}

namespace goldentrace {

// Input `number` of a node, where the gradient of a tensor arrives.
struct GraphEdge {
  std::shared_ptr<torch::autograd::Node> node;  // null: no gradient
  std::uint32_t number = 0;
};

// As it is now. Leaf: its accumulator, null when no op has used it yet. Views whose base was written meanwhile: the
// stale node.
GraphEdge present_edge(const at::Tensor& tensor);

// The grad_fn, null for leaves.
torch::autograd::Node* present_node(const at::Tensor& tensor);

bool is_differentiable_view(const at::Tensor& tensor);

// The total gradient of a leaf, undefined when there is none. Unlike Tensor::grad() without a warning for others.
at::Tensor total_gradient(const at::Tensor& leaf);

}  // namespace goldentrace
