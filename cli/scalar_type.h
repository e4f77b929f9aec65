// LibTorch's element type for a name on the command line.
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

namespace goldentrace {

at::ScalarType scalar_type(const std::string& name);  // "float32", "bfloat16", "float16", "float64"

}  // namespace goldentrace
