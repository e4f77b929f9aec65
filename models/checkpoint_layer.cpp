#include "models/checkpoint_layer.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/custom_class.h>

#include "models/cpu_random.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct CheckpointedBody : torch::CustomClassHolder {
  LayerBody body;
  RecomputeDraws draws = RecomputeDraws::repeated;
  at::Tensor random_state;  // before the first computation

  at::Tensor again(const at::Tensor& x) const {
    const at::AutoGradMode gradients(true);
    if (draws == RecomputeDraws::fresh) return body(x);
    const RandomScope scope;
    set_cpu_random_state(random_state);
    return body(x);
  }
};

class CheckpointNode : public torch::autograd::Function<CheckpointNode> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const c10::intrusive_ptr<CheckpointedBody>& body) {
    context->save_for_backward({x});
    context->saved_data["body"] = c10::IValue::make_capsule(body);
    body->random_state = cpu_random_state();
    return body->body(x);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    if (!torch::autograd::Engine::get_default_engine().is_checkpoint_valid())
      throw Error(ErrorCode::usage, "gradients of a checkpointed layer come from backward(), not from grad()");
    const auto body = c10::static_intrusive_pointer_cast<CheckpointedBody>(context->saved_data["body"].toCapsule());
    const at::Tensor x = context->get_saved_variables()[0].detach().set_requires_grad(true);
    torch::autograd::backward({body->again(x)}, {gradients[0]});
    return {x.grad(), at::Tensor()};
  }
};

}  // namespace

at::Tensor checkpoint_layer(const at::Tensor& x, LayerBody body, RecomputeDraws draws) {
  if (!x.requires_grad() || !at::GradMode::is_enabled()) return body(x);
  auto kept = c10::make_intrusive<CheckpointedBody>();
  kept->body = std::move(body);
  kept->draws = draws;
  return CheckpointNode::apply(x, kept);
}

}  // namespace goldentrace
