#include "models/named_tensor.h"

#include <algorithm>

#include "traces/error.h"

namespace goldentrace {

const at::Tensor& find_tensor(const NamedTensors& tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
  if (found == tensors.end()) throw Error(ErrorCode::not_found, "no tensor is named " + name);
  return found->tensor;
}

}  // namespace goldentrace
