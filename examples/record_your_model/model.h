#pragma once

#include <functional>

namespace torch::nn {
class Module;
}

// Trains a small model for three steps and prints the losses. `ready` is called with the model before the first step.
void train(const std::function<void(const torch::nn::Module&)>& ready);
