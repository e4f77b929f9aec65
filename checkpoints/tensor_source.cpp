#include "checkpoints/tensor_source.h"

#include <limits>

#include "traces/error.h"

namespace goldentrace {

std::uint64_t byte_count(const TensorSource& source) {
  std::int64_t bytes = static_cast<std::int64_t>(item_size(source.dtype));
  for (const std::int64_t extent : source.shape)
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes))
      throw Error(ErrorCode::usage, source.name + ": impossible shape");
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace goldentrace
