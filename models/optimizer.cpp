#include "models/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace goldentrace {

void Optimizer::zero_grad() {
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

void Sgd::step() {
  const at::NoGradGuard no_gradients;
  for (at::Tensor& parameter : parameters_)
    if (parameter.grad().defined()) parameter.add_(parameter.grad(), -lr_);
}

AdamW::AdamW(std::vector<at::Tensor> parameters, AdamWOptions options)
    : Optimizer(std::move(parameters)), options_(options), moments_(parameters_.size()) {}

void AdamW::step() {
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].grad().defined()) update(parameters_[i], moments_[i]);
}

void AdamW::update(at::Tensor& parameter, Moments& moments) {
  const at::Tensor gradient = parameter.grad();
  if (!moments.average.defined()) {
    moments.average = at::zeros_like(parameter);
    moments.square = at::zeros_like(parameter);
  }
  moments.steps += 1;
  // torch leaves the decay out when it is zero; a product with 1 would be another op on the tape.
  if (options_.weight_decay != 0) parameter.mul_(1 - options_.lr * options_.weight_decay);
  moments.average.lerp_(gradient, 1 - options_.beta1);
  moments.square.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
  const double correction1 = 1 - std::pow(options_.beta1, moments.steps);
  const double correction2 = 1 - std::pow(options_.beta2, moments.steps);
  const at::Tensor denominator = moments.square.sqrt().div(std::pow(correction2, 0.5)).add_(options_.eps);
  parameter.addcdiv_(moments.average, denominator, -(options_.lr / correction1));
}

}  // namespace goldentrace
