#include "cli/scalar_type.h"

#include "traces/dtype.h"
#include "traces/error.h"

namespace goldentrace {

at::ScalarType scalar_type(const std::string& text) {
  switch (parse_dtype(text)) {
    case DType::float64:
      return at::kDouble;
    case DType::float32:
      return at::kFloat;
    case DType::float16:
      return at::kHalf;
    case DType::bfloat16:
      return at::kBFloat16;
    default:
      throw Error(ErrorCode::usage, "no model runs in " + text);
  }
}

}  // namespace goldentrace
