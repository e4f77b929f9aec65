// SGD and AdamW as plain ops, so that updates are recorded like everything else.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace goldentrace {

// Bit-equal to torch.optim with foreach=False. Parameters without a gradient are skipped.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void step() = 0;
  void zero_grad();  // gradients become undefined, not zero

 protected:
  explicit Optimizer(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}
  std::vector<at::Tensor> parameters_;
};

// p -= lr * g
class Sgd final : public Optimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, double lr) : Optimizer(std::move(parameters)), lr_(lr) {}
  void step() override;

 private:
  double lr_;
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
};

// Loshchilov and Hutter, "Decoupled weight decay regularization", algorithm 2, in torch's order of operations.
class AdamW final : public Optimizer {
 public:
  AdamW(std::vector<at::Tensor> parameters, AdamWOptions options);
  void step() override;

 private:
  struct Moments {
    at::Tensor average;  // of the gradient
    at::Tensor square;   // average of its square
    double steps = 0;
  };
  void update(at::Tensor& parameter, Moments& moments);

  AdamWOptions options_;
  std::vector<Moments> moments_;
};

}  // namespace goldentrace
