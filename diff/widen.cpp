#include "diff/widen.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace goldentrace {

namespace {

template <typename Element>
bool widen_integers(const TensorView& tensor, std::vector<std::byte>& bytes) {
  const std::size_t count = tensor.bytes.size() / sizeof(Element);
  bytes.resize(count * sizeof(std::int64_t));
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, tensor.bytes.data() + i * sizeof(Element), sizeof(Element));
    if constexpr (std::is_same_v<Element, std::uint64_t>) {
      if (element > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return false;
    }
    const auto wide = static_cast<std::int64_t>(element);
    std::memcpy(bytes.data() + i * sizeof(wide), &wide, sizeof(wide));
  }
  return true;
}

DType part_of(DType complex) {
  if (complex == DType::complex32) return DType::float16;
  return complex == DType::complex64 ? DType::float32 : DType::float64;
}

bool widen_complex(const TensorView& tensor, std::vector<std::byte>& bytes) {
  const DType part = part_of(tensor.dtype);
  const auto count = static_cast<std::int64_t>(tensor.bytes.size() / item_size(part));
  const TensorView parts{part, std::span(&count, 1), tensor.bytes};
  bytes.resize(static_cast<std::size_t>(count) * sizeof(double));
  for (std::int64_t i = 0; i < count; ++i) {
    const double element = element_as_double(parts, i);
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(double), &element, sizeof(double));
  }
  return true;
}

}  // namespace

bool comparable(DType a, DType b) {
  if (a == b) return true;
  const DTypeClass kind = dtype_class(a);
  if (kind != dtype_class(b)) return false;
  return kind == DTypeClass::floating || kind == DTypeClass::integer || kind == DTypeClass::complex;
}

bool widen(const TensorView& tensor, Widened& result) {
  if (dtype_class(tensor.dtype) == DTypeClass::complex) {
    result.dtype = DType::complex128;
    return widen_complex(tensor, result.bytes);
  }
  result.dtype = DType::int64;
  switch (tensor.dtype) {
    case DType::uint8:
      return widen_integers<std::uint8_t>(tensor, result.bytes);
    case DType::int8:
      return widen_integers<std::int8_t>(tensor, result.bytes);
    case DType::int16:
      return widen_integers<std::int16_t>(tensor, result.bytes);
    case DType::int32:
      return widen_integers<std::int32_t>(tensor, result.bytes);
    case DType::int64:
      return widen_integers<std::int64_t>(tensor, result.bytes);
    case DType::uint16:
      return widen_integers<std::uint16_t>(tensor, result.bytes);
    case DType::uint32:
      return widen_integers<std::uint32_t>(tensor, result.bytes);
    case DType::uint64:
      return widen_integers<std::uint64_t>(tensor, result.bytes);
    default:
      return false;
  }
}

}  // namespace goldentrace
