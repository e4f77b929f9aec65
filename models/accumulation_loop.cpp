#include "models/accumulation_loop.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <string>

#include "models/accumulation_arguments.h"
#include "models/iteration_seeds.h"

namespace goldentrace {
namespace {

using Tensors = std::vector<at::Tensor>;

// Those that require a gradient, without theirs while this lives.
class ParametersWithoutGradient {
 public:
  explicit ParametersWithoutGradient(const Tensors& parameters) {
    for (const at::Tensor& parameter : parameters)
      if (parameter.requires_grad()) parameters_.push_back(parameter);
    for (at::Tensor& parameter : parameters_) {
      before_.push_back(parameter.grad());
      parameter.mutable_grad().reset();
    }
  }
  ~ParametersWithoutGradient() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].mutable_grad() = before_[i];
  }
  ParametersWithoutGradient(const ParametersWithoutGradient&) = delete;
  ParametersWithoutGradient& operator=(const ParametersWithoutGradient&) = delete;

  const Tensors& parameters() const { return parameters_; }

  // What each has got, taken away again; undefined where it got nothing.
  Tensors take() {
    Tensors taken;
    for (at::Tensor& parameter : parameters_) taken.push_back(std::move(parameter.mutable_grad()));
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
    return taken;
  }

  void add_to_those_before(const Tensors& sums) {
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (before_[i].defined())
        before_[i].add_(sums[i]);
      else
        before_[i] = sums[i];
    }
  }

 private:
  Tensors parameters_, before_;
};

// Not zeros_like(): it would be a use of the parameter outside its layer.
Tensors zeros_of(const Tensors& parameters) {
  Tensors zeros;
  for (const at::Tensor& parameter : parameters)
    zeros.push_back(at::zeros(parameter.sizes(), parameter.options().requires_grad(false)));
  return zeros;
}

void add(const Tensors& sums, const Tensors& gradients) {
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (gradients[i].defined()) sums[i].add_(gradients[i]);
}

Tensors slices_of(const Tensors& iterables, std::int64_t iteration) {
  Tensors slices;
  for (const at::Tensor& iterable : iterables) slices.push_back(iterable.select(0, iteration));
  return slices;
}

Tensors detached(const Tensors& tensors, std::size_t first) {
  Tensors result;
  for (std::size_t i = first; i < tensors.size(); ++i) result.push_back(tensors[i].detach());
  return result;
}

}  // namespace

Tensors accumulate_gradients(const AccumulatedStep& train_step, const Tensors& iterables, const Tensors& parameters,
                             Tensors carried, LossDivision division) {
  const std::int64_t iterations = check_iterables(iterables);
  check_carried(carried);
  ParametersWithoutGradient gradients(parameters);
  const Tensors sums = zeros_of(gradients.parameters());
  at::Tensor loss_sum = at::zeros({}, at::kFloat);
  {
    IterationSeeds seeds(iterations);
    for (std::int64_t i = 0; i < iterations; ++i) {
      seeds.begin(i);
      const UnwrittenArguments unwritten(iterables, carried, gradients.parameters());
      const Tensors result = train_step(slices_of(iterables, i), carried);
      unwritten.check(i);
      check_result(result, carried, i);
      const at::Tensor loss = division == LossDivision::by_loop ? result[0].div(iterations) : result[0];
      loss.backward();
      seeds.end();
      add(sums, gradients.take());
      loss_sum = loss_sum.add(loss.detach().reshape({}));
      carried = detached(result, 1);
    }
  }
  gradients.add_to_those_before(sums);
  carried.insert(carried.begin(), loss_sum);
  return carried;
}

}  // namespace goldentrace
