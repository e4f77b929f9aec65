#include "models/named_tensor.h"

#include <algorithm>

#include "traces/error.h"

namespace goldentrace {

const at::Tensor& find_tensor(const NamedTensors& tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
  if (found == tensors.end()) throw Error(ErrorCode::not_found, "no tensor is named " + name);
  return found->tensor;
}

std::vector<at::Tensor> tensors_of(const NamedTensors& named) {
  std::vector<at::Tensor> tensors;
  for (const NamedTensor& entry : named) tensors.push_back(entry.tensor);
  return tensors;
}

}  // namespace goldentrace
