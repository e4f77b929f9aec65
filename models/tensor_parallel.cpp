#include "models/tensor_parallel.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/cat.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <span>
#include <vector>

#include "models/cpu_random.h"
#include "models/layer.h"
#include "models/shards.h"

namespace goldentrace {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Megatron's distance between the default stream and those of its tensor-parallel ranks.
constexpr std::uint64_t stream_distance = 2718;

struct GradientSum : torch::CustomClassHolder {
  std::function<at::Tensor(const at::Tensor&)> sum;
};

class CopyToRanks : public torch::autograd::Function<CopyToRanks> {
 public:
  // A tensor of its own on the same memory: what is an input and an output at once would be taken for a view.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const c10::intrusive_ptr<GradientSum>& how) {
    context->saved_data["sum"] = c10::IValue::make_capsule(how);
    return x.detach();
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto how = c10::static_intrusive_pointer_cast<GradientSum>(context->saved_data["sum"].toCapsule());
    return {how->sum(gradients[0]), at::Tensor()};
  }
};

at::Tensor state_after(std::uint64_t seed) {
  const RandomScope scope;
  seed_cpu_random(seed);
  return cpu_random_state();
}

// The part of this rank is added to what those before it have together, those behind it one after the other.
at::Tensor sum_around(const at::Tensor& own, std::span<const at::Tensor> parts, std::size_t index) {
  at::Tensor total = own;
  if (index > 0) total = total.add(ordered_sum({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(index)}));
  for (std::size_t i = index + 1; i < parts.size(); ++i) total = total.add(parts[i]);
  return total;
}

}  // namespace

TensorParallel::TensorParallel(RankGroup& ranks, std::uint64_t seed, RankFault fault)
    : ranks_(ranks), fault_(std::move(fault)) {
  const std::int64_t stream = fault_.stale_seed ? 0 : index();
  stream_ = state_after(seed + stream_distance + static_cast<std::uint64_t>(stream));
}

at::Tensor TensorParallel::ordered_total(const std::string& label, const at::Tensor& x) const {
  const std::vector<at::Tensor> parts = ranks_.gather(x, label);
  return label == fault_.left_out ? x.clone() : sum_around(x, parts, static_cast<std::size_t>(index()));
}

at::Tensor TensorParallel::copied(const Events& events, const std::string& layer, const at::Tensor& x) const {
  const std::string label = layer + ".all_reduce";
  auto how = c10::make_intrusive<GradientSum>();
  how->sum = [this, label](const at::Tensor& gradient) {
    const at::DisableRecordFunctionGuard unobserved;
    const at::NoGradGuard no_gradients;
    const at::Tensor total = ordered_total(label, gradient);
    return label == fault_.repeated ? ordered_total(label, total) : total;
  };
  return goldentrace::layer(events, label, [&] { return CopyToRanks::apply(x, how); });
}

at::Tensor TensorParallel::reduced(const Events& events, const std::string& layer, const at::Tensor& x) const {
  const std::string label = layer + ".all_reduce";
  return goldentrace::layer(events, label, [&] {
    const at::Tensor total = ordered_total(label, x);
    return label == fault_.repeated ? ordered_total(label, total) : total;
  });
}

at::Tensor TensorParallel::gathered(const Events& events, const std::string& layer, const at::Tensor& x) const {
  const std::string label = layer + ".all_gather";
  return goldentrace::layer(events, label, [&] {
    std::vector<at::Tensor> parts = ranks_.gather(x, label);
    parts[static_cast<std::size_t>(index())] = at::alias(x);  // so that it is read first
    return at::cat(parts, -1);
  });
}

at::Tensor TensorParallel::in_own_stream(const std::function<at::Tensor()>& draw) {
  const RandomScope scope;
  set_cpu_random_state(stream_);
  at::Tensor drawn = draw();
  stream_ = cpu_random_state();
  return drawn;
}

}  // namespace goldentrace
