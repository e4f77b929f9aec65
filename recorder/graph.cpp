#include "recorder/graph.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

namespace goldentrace {
namespace {

torch::autograd::AutogradMeta* meta_of(const at::Tensor& tensor) {
  return torch::autograd::impl::get_autograd_meta(tensor);
}

}  // namespace

GraphEdge present_edge(const at::Tensor& tensor) {
  const auto* meta = meta_of(tensor);
  if (meta == nullptr) return {};
  if (meta->grad_fn_) return {meta->grad_fn_, meta->output_nr_};
  return {torch::autograd::impl::try_get_grad_accumulator(tensor), 0};
}

torch::autograd::Node* present_node(const at::Tensor& tensor) {
  const auto* meta = meta_of(tensor);
  return meta == nullptr ? nullptr : meta->grad_fn_.get();
}

bool is_differentiable_view(const at::Tensor& tensor) {
  const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
  return view != nullptr && view->has_bw_view();
}

at::Tensor total_gradient(const at::Tensor& leaf) {
  const auto* meta = meta_of(leaf);
  return meta == nullptr ? at::Tensor() : meta->grad_;
}

}  // namespace goldentrace
