#include "recorder/share_hook.h"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/input_metadata.h>

#include "recorder/session.h"

namespace goldentrace {

ShareHook::ShareHook(const Session& session, const torch::autograd::Node& node)
    : generation_(session.generation), node_(node) {}

at::Tensor ShareHook::delivered(std::uint32_t edge, const at::Tensor& gradient) const {
  const auto& next = node_.next_edge(edge);
  const auto& metadata = next.function->input_metadata(next.input_nr);
  const at::DisableRecordFunctionGuard unseen;
  const at::NoGradGuard no_grad;
  // The tensor itself where possible: a second reference keeps the engine from adding to it in place.
  at::Tensor arrived = gradient.requires_grad() ? gradient.detach() : gradient;
  if (!metadata.is_same_shape(arrived) && metadata.is_expandable_to_shape(arrived)) {
    arrived = metadata.reduce_grad(arrived);
  }
  const auto dtype = metadata.grad_dtype();
  return dtype && arrived.scalar_type() != *dtype ? arrived.to(*dtype) : arrived;
}

torch::autograd::variable_list ShareHook::operator()(const torch::autograd::variable_list& grad_inputs,
                                                     const torch::autograd::variable_list&) {
  Session* session = active_session();
  if (session == nullptr || session->generation != generation_) return grad_inputs;
  guarded(*session, [&] {
    for (const auto& [edge, share] : shares_) {
      if (edge < grad_inputs.size() && grad_inputs[edge].defined()) {
        session->gradients.contribution(share, delivered(edge, grad_inputs[edge]));
      }
    }
  });
  return grad_inputs;
}

}  // namespace goldentrace
