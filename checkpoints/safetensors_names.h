// Element type names of the safetensors format.
#pragma once

#include <string_view>

#include "traces/dtype.h"

namespace goldentrace {

// DType::none when the format, or goldentrace, has no such type.
DType dtype_of_safetensors(std::string_view name);
// Empty when the format has no name for it.
std::string_view safetensors_name(DType dtype);

}  // namespace goldentrace
