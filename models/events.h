// What a model's training loop says while it runs. Models call these; whoever listens (recorder, tests) sets them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>

namespace goldentrace {

// All members may be empty. Called on the training thread, in program order. Tensors are borrowed for the call.
struct Events {
  // Each parameter once, in the order of the optimizer, before the first step. The listener may keep the handle, and
  // may change the values in place under no_grad.
  std::function<void(const std::string& name, const at::Tensor& parameter)> parameter;
  std::function<void(std::int64_t step)> step;  // a new optimizer step begins; the final evaluation is a step too
  // The data-parallel rank that the following micro-batches belong to, of ranks that one process plays one after
  // another; 0 again when a step begins.
  std::function<void(std::int64_t rank)> rank;
  std::function<void(std::int64_t micro)> micro;  // a new micro-batch of the current step begins
  // A declared model input of the current micro-batch: "ids", "labels", "mask", "x", "y".
  std::function<void(const std::string& name, const at::Tensor& value)> input;
  std::function<void(const at::Tensor& loss)> loss;       // the scalar that backward() will be called on
  std::function<void()> update;                           // gradients are final; the optimizer is about to read them
  std::function<void(const at::Tensor& loss)> step_loss;  // the step's reported loss, detached
  // Called inside a label on its output, before it leaves; returns what the layer returns instead. The identity when
  // empty. Used for planted faults.
  std::function<at::Tensor(const std::string& layer, at::Tensor output)> alter;

  at::Tensor altered(const std::string& layer, at::Tensor output) const {
    return alter ? alter(layer, std::move(output)) : output;
  }
};

}  // namespace goldentrace
