#include "traces/record.h"

#include <string>

#include "traces/error.h"

namespace goldentrace {
namespace {

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw Error(ErrorCode::damaged, "a tensor shape overflows 64 bits");
  return result;
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  bool empty = false;
  std::int64_t count = 1;
  for (std::int64_t size : shape) {
    if (size < 0) throw Error(ErrorCode::damaged, "negative size " + std::to_string(size) + " in a tensor shape");
    empty = empty || size == 0;
    // Sizes beside a 0 must not overflow either, whatever their order.
    if (size > 0) count = product(count, size);
  }
  return empty ? 0 : count;
}

std::int64_t byte_count(const Shape& shape, DType dtype) {
  return product(element_count(shape), static_cast<std::int64_t>(item_size(dtype)));
}

}  // namespace goldentrace
