#include "models/loss_value.h"

#include <ATen/record_function.h>

#include <array>
#include <charconv>

namespace goldentrace {

double loss_value(const at::Tensor& loss) {
  const at::DisableRecordFunctionGuard unobserved;
  return loss.item<double>();
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

}  // namespace goldentrace
