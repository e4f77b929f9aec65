// Names of torch's storage classes.
#pragma once

#include <string_view>

#include "traces/dtype.h"

namespace goldentrace {

std::string_view torch_storage_name(DType dtype);     // "FloatStorage"; empty when torch has no class for it
DType dtype_of_torch_storage(std::string_view name);  // of "FloatStorage"; none for any other text
DType dtype_of_torch_name(std::string_view name);     // of "bfloat16", as in torch.bfloat16; none for others

}  // namespace goldentrace
