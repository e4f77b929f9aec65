#include "model.h"

#include <torch/torch.h>

#include <iostream>

struct Model : torch::nn::Module {
  torch::nn::Linear up = register_module("up", torch::nn::Linear(8, 32));
  torch::nn::Linear down = register_module("down", torch::nn::Linear(32, 8));

  // Layers are PyTorch's own labels, the ones that profilers show.
  torch::Tensor forward(const torch::Tensor& x) { return x + second(first(x)); }
  torch::Tensor first(const torch::Tensor& x) {
    RECORD_USER_SCOPE("up");
    return torch::gelu(up(x));
  }
  torch::Tensor second(const torch::Tensor& x) {
    RECORD_USER_SCOPE("down");
    return torch::dropout(down(x), 0.1, is_training());
  }
};

void train(const std::function<void(const torch::nn::Module&)>& ready) {
  torch::manual_seed(1);
  Model model;
  ready(model);
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  const torch::Tensor x = torch::randn({16, 8}), y = torch::sin(x);
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    const torch::Tensor loss = torch::mse_loss(model.forward(x), y);
    loss.backward();
    optimizer.step();
    std::cout << "step " << step << " loss " << loss.item<float>() << '\n';
  }
}
