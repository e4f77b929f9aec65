// A tensor with its name, as checkpoints and recorders know it.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace goldentrace {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;  // shares storage with the model's own
};

using NamedTensors = std::vector<NamedTensor>;

// The entry of that name; Error(not_found) otherwise. The reference lives as long as the list.
const at::Tensor& find_tensor(const NamedTensors& tensors, const std::string& name);

std::vector<at::Tensor> tensors_of(const NamedTensors& named);  // in the same order

}  // namespace goldentrace
