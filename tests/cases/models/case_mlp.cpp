#include "tests/cases/models/case_mlp.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "models/layer.h"
#include "models/linear_init.h"
#include "models/loss_value.h"
#include "models/notify.h"
#include "models/optimizer.h"
#include "tests/cases/models/formula.h"

namespace goldentrace {
namespace {

constexpr std::int64_t rows = 4, inputs = 4, hidden = 8, outputs = 3;

Affine formula_linear(Formula& formula, std::int64_t in, std::int64_t out) {
  Affine linear;
  linear.weight = formula.next({out, in}).set_requires_grad(true);
  linear.bias = formula.next({out}).set_requires_grad(true);
  return linear;
}

at::Tensor batch_x() {
  std::vector<float> x;
  for (int i = 0; i < rows * inputs; ++i) x.push_back(static_cast<float>(std::sin(0.5 + 0.9 * i)));
  return at::tensor(x).view({rows, inputs});
}

at::Tensor batch_y() {
  std::vector<float> y;
  for (int j = 0; j < rows * outputs; ++j) y.push_back(static_cast<float>(std::cos(0.3 + 0.7 * j)));
  return at::tensor(y).view({rows, outputs});
}

class CaseMlp {
 public:
  CaseMlp(const CaseMlpOptions& options, const Events& events) : options_(options), events_(events) {
    Formula formula;
    layer0_ = formula_linear(formula, inputs, hidden);
    layer2_ = formula_linear(formula, hidden, outputs);
  }

  CaseMlpResult run() {
    for (const NamedTensor& entry : parameters()) notify(events_.parameter, entry.name, entry.tensor);
    Sgd optimizer(tensors_of(parameters()), options_.lr);
    for (std::int64_t first = 0, step = 0; first < options_.micro_batches; first += options_.window, ++step) {
      notify(events_.step, step);
      optimizer.zero_grad();
      const at::Tensor running = accumulate(std::min(options_.window, options_.micro_batches - first));
      notify(events_.update);
      optimizer.step();
      notify(events_.step_loss, running);
      result_.losses.push_back(loss_value(running));
    }
    result_.parameters = parameters();
    return std::move(result_);
  }

 private:
  NamedTensors parameters() const {
    return {{"layers.0.weight", layer0_.weight},
            {"layers.0.bias", layer0_.bias},
            {"layers.2.weight", layer2_.weight},
            {"layers.2.bias", layer2_.bias}};
  }

  at::Tensor accumulate(std::int64_t present) {
    const std::int64_t divisor = options_.divisor == WindowDivisor::present ? present : options_.window;
    at::Tensor running = at::zeros({}, at::kFloat);
    for (std::int64_t micro = 0; micro < present; ++micro) running += backward(micro, divisor);
    return running;
  }

  at::Tensor backward(std::int64_t micro, std::int64_t divisor) {
    notify(events_.micro, micro);
    notify(events_.input, "x", x_);
    notify(events_.input, "y", y_);
    at::Tensor x = layer(events_, "layers.0", [&] { return at::linear(x_, layer0_.weight, layer0_.bias); });
    x = layer(events_, "layers.1", [&] { return at::relu(x); });
    x = layer(events_, "layers.2", [&] { return at::linear(x, layer2_.weight, layer2_.bias); });
    const at::Tensor loss = layer(events_, "loss", [&] { return at::mse_loss(x, y_).div(divisor); });
    notify(events_.loss, loss);
    loss.backward();
    return loss.detach();
  }

  const CaseMlpOptions& options_;
  const Events& events_;
  Affine layer0_, layer2_;
  const at::Tensor x_ = batch_x(), y_ = batch_y();
  CaseMlpResult result_;
};

}  // namespace

CaseMlpResult train_case_mlp(const CaseMlpOptions& options, const Events& events) {
  const at::AutoGradMode gradients(true);
  return CaseMlp(options, events).run();
}

}  // namespace goldentrace
