// The number in a one-element tensor, for log lines and results.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace goldentrace {

// Not seen by recorders: reading a loss is no part of the model. Copies from the device when there is one.
double loss_value(const at::Tensor& loss);

// The shortest decimal that gives back the same double, e.g. "1.1098170280456543".
std::string shortest(double value);

}  // namespace goldentrace
