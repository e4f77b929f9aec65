// Elements of each dtype as they lie in memory, and their exact values as double (64-bit integers: rounded).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/half.h"
#include "kernels/host_device.h"
#include "traces/dtype.h"

namespace goldentrace {

// A real element: the type that holds its bits, and its value.
template <typename Number>
struct PlainElement {
  using Bits = Number;
  static GOLDENTRACE_INLINE double value(Bits bits) { return static_cast<double>(bits); }
};

struct BoolElement {
  using Bits = std::uint8_t;
  static GOLDENTRACE_INLINE double value(Bits bits) { return bits != 0 ? 1.0 : 0.0; }
};

struct HalfElement {
  using Bits = std::uint16_t;
  static GOLDENTRACE_INLINE double value(Bits bits) { return static_cast<double>(half_to_float(bits)); }
};

struct Bfloat16Element {
  using Bits = std::uint16_t;
  static GOLDENTRACE_INLINE double value(Bits bits) { return static_cast<double>(bfloat16_to_float(bits)); }
};

template <typename Bits>
GOLDENTRACE_INLINE Bits load(const std::byte* bytes, std::size_t index) {
  Bits bits;
  std::memcpy(&bits, bytes + index * sizeof(Bits), sizeof(Bits));
  return bits;
}

template <typename Element>
GOLDENTRACE_INLINE double value_at(const std::byte* bytes, std::size_t index) {
  return Element::value(load<typename Element::Bits>(bytes, index));
}

// Real elements per element: 2 for complex dtypes.
inline std::size_t component_count(DType dtype) { return dtype_class(dtype) == DTypeClass::complex ? 2 : 1; }

// The dtype of the real and imaginary parts of a complex dtype; any other dtype itself.
inline DType component_dtype(DType dtype) {
  switch (dtype) {
    case DType::complex32:
      return DType::float16;
    case DType::complex64:
      return DType::float32;
    case DType::complex128:
      return DType::float64;
    default:
      return dtype;
  }
}

// Calls function(Element{}) for the real dtype; float8 and none are the caller's business and call nothing.
template <typename Function>
GOLDENTRACE_INLINE void with_element(DType real_dtype, const Function& function) {
  switch (real_dtype) {
    case DType::boolean:
      return function(BoolElement{});
    case DType::uint8:
      return function(PlainElement<std::uint8_t>{});
    case DType::int8:
      return function(PlainElement<std::int8_t>{});
    case DType::int16:
      return function(PlainElement<std::int16_t>{});
    case DType::int32:
      return function(PlainElement<std::int32_t>{});
    case DType::int64:
      return function(PlainElement<std::int64_t>{});
    case DType::uint16:
      return function(PlainElement<std::uint16_t>{});
    case DType::uint32:
      return function(PlainElement<std::uint32_t>{});
    case DType::uint64:
      return function(PlainElement<std::uint64_t>{});
    case DType::float16:
      return function(HalfElement{});
    case DType::bfloat16:
      return function(Bfloat16Element{});
    case DType::float32:
      return function(PlainElement<float>{});
    case DType::float64:
      return function(PlainElement<double>{});
    default:
      return;
  }
}

}  // namespace goldentrace
