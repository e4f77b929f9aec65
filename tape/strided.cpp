#include "tape/strided.h"

#include <cstring>
#include <string>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t most_axes = 64;
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::damaged, std::string("the tape describes a tensor with ") + what);
}

// Walks the outer axes; each inner row is copied at once where it is dense.
class Scatter {
 public:
  Scatter(std::span<const std::byte> from, std::size_t item, const Shape& shape, const Shape& strides,
          std::span<std::byte> to)
      : from_(from.data()), item_(item), shape_(shape), strides_(strides), to_(to.data()) {}

  void axis(std::size_t number, std::int64_t place) {
    if (number == shape_.size()) return copy(place, 1);
    const bool dense_row = number + 1 == shape_.size() && strides_[number] == 1;
    if (dense_row) return copy(place, shape_[number]);
    for (std::int64_t i = 0; i < shape_[number]; ++i) axis(number + 1, place + i * strides_[number]);
  }

 private:
  void copy(std::int64_t place, std::int64_t elements) {
    const std::size_t bytes = static_cast<std::size_t>(elements) * item_;
    std::memcpy(to_ + static_cast<std::size_t>(place) * item_, from_, bytes);
    from_ += bytes;
  }

  const std::byte* from_;
  std::size_t item_;
  const Shape& shape_;
  const Shape& strides_;
  std::byte* to_;
};

bool is_dense(const Shape& shape, const Shape& strides) {
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

}  // namespace

std::int64_t storage_elements(const Shape& shape, const Shape& strides, std::int64_t offset) {
  if (shape.size() != strides.size()) refuse("another number of strides than of sizes");
  if (shape.size() > most_axes) refuse("too many axes");
  if (offset < 0 || offset > most_elements) refuse("an impossible offset");
  std::int64_t last = offset;
  bool empty = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t reach = 0;
    if (shape[i] < 0 || strides[i] < 0) refuse("a negative size or stride");
    if (shape[i] == 0) empty = true;
    if (shape[i] > 0 && __builtin_mul_overflow(shape[i] - 1, strides[i], &reach)) refuse("impossible strides");
    if (reach > most_elements || last + reach > most_elements) refuse("impossible strides");
    last += reach;
  }
  return empty ? offset : last + 1;
}

void scatter(std::span<const std::byte> contiguous, std::size_t item, const Shape& shape, const Shape& strides,
             std::int64_t offset, std::span<std::byte> storage) {
  if (contiguous.empty()) return;
  if (is_dense(shape, strides)) {
    std::memcpy(storage.data() + static_cast<std::size_t>(offset) * item, contiguous.data(), contiguous.size());
    return;
  }
  Scatter(contiguous, item, shape, strides, storage).axis(0, offset);
}

}  // namespace goldentrace
