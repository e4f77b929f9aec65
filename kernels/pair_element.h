// One element of two tensors, compared: for CUDA kernels and the walk on the host. The rules are those of
// kernels/compare.h.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/element.h"
#include "kernels/host_device.h"

namespace goldentrace {

// Two tensors of equal shape.
struct PairView {
  const unsigned char* a;
  const unsigned char* b;
  DType dtype_a, dtype_b;  // of the components: no complex
  std::size_t components;  // real numbers per element: 2 for complex
  std::int64_t elements;
  std::size_t size_a, size_b;  // bytes of a component
  bool opaque;                 // float8: compared as bytes
  bool floating;               // real or complex
  bool nan_same;
  double rtol, atol;

  GOLDENTRACE_HD bool same_dtype() const { return dtype_a == dtype_b; }
};

enum class PairKind : std::uint8_t { finite, infinite, nan };

struct PairElement {
  double a[2], b[2], difference[2];  // finite pairs: components
  double size_a, size_b, size_difference;
  PairKind kind_a, kind_b;
  bool agree;  // equal values, agreeing NaN
  bool same_bits;
  std::uint64_t ulp;  // finite pairs of floating types

  GOLDENTRACE_HD bool finite() const { return kind_a == PairKind::finite && kind_b == PairKind::finite; }
};

GOLDENTRACE_HD double component(DType dtype, const unsigned char* bytes, std::size_t index) {
  double value = 0;
  with_element(dtype, [&](auto element) {
    value = value_at<decltype(element)>(reinterpret_cast<const std::byte*>(bytes), index);
  });
  return value;
}

GOLDENTRACE_HD PairKind kind_of(const double* parts, std::size_t count) {
  PairKind kind = PairKind::finite;
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i] != parts[i]) return PairKind::nan;
    if (parts[i] - parts[i] != 0) kind = PairKind::infinite;
  }
  return kind;
}

GOLDENTRACE_HD double modulus(const double* parts, std::size_t count) {
  const double x = fabs(parts[0]);
  if (count == 1) return x;
  const double y = fabs(parts[1]), large = x > y ? x : y, small = x > y ? y : x;
  const double quotient = small / (large > 0 ? large : 1);
  const double result = large * sqrt(1 + quotient * quotient);
  return result > DBL_MAX ? DBL_MAX : result;
}

template <typename Integer>
GOLDENTRACE_HD double exact_difference(const PairView& pair, std::size_t index) {
  const auto x = load<Integer>(reinterpret_cast<const std::byte*>(pair.a), index);
  const auto y = load<Integer>(reinterpret_cast<const std::byte*>(pair.b), index);
  const auto from_y = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
  return x >= y ? static_cast<double>(from_y) : -static_cast<double>(std::uint64_t{0} - from_y);
}

GOLDENTRACE_HD double difference_of(const PairView& pair, std::size_t index, double a, double b) {
  if (pair.dtype_a == DType::int64) return exact_difference<std::int64_t>(pair, index);
  if (pair.dtype_a == DType::uint64) return exact_difference<std::uint64_t>(pair, index);
  const double exact = a - b;
  if (exact > DBL_MAX) return DBL_MAX;
  return exact < -DBL_MAX ? -DBL_MAX : exact;
}

// The bits of a number in a format with fewer bits of fraction than the others have.
GOLDENTRACE_HD std::uint64_t bits_in(DType dtype, double value) {
  switch (dtype) {
    case DType::bfloat16:
      return narrow<8, 7>(value);
    case DType::float16:
      return narrow<5, 10>(value);
    case DType::float32:
      return bits_as<std::uint32_t>(static_cast<float>(value));
    default:
      return bits_as<std::uint64_t>(value);
  }
}

GOLDENTRACE_HD int fraction_bits(DType dtype) {
  return dtype == DType::bfloat16 ? 7 : dtype == DType::float16 ? 10 : dtype == DType::float32 ? 23 : 52;
}

GOLDENTRACE_HD int total_bits(DType dtype) {
  return dtype == DType::bfloat16 || dtype == DType::float16 ? 16 : dtype == DType::float32 ? 32 : 64;
}

// Sign and magnitude as one number in the order of the floating-point numbers.
GOLDENTRACE_HD std::int64_t ordered(std::uint64_t bits, int width) {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return bits & sign ? static_cast<std::int64_t>(std::uint64_t{0} - (bits ^ sign)) : static_cast<std::int64_t>(bits);
}

GOLDENTRACE_HD std::uint64_t ulp_distance(const PairView& pair, double a, double b) {
  const DType dtype = fraction_bits(pair.dtype_a) <= fraction_bits(pair.dtype_b) ? pair.dtype_a : pair.dtype_b;
  const int width = total_bits(dtype);
  const std::int64_t x = ordered(bits_in(dtype, a), width), y = ordered(bits_in(dtype, b), width);
  const auto forth = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
  return x > y ? forth : std::uint64_t{0} - forth;
}

GOLDENTRACE_HD bool same_bits(const PairView& pair, std::size_t first, const double* a, const double* b) {
  if (!pair.same_dtype()) return bits_as<std::uint64_t>(a[0]) == bits_as<std::uint64_t>(b[0]);
  for (std::size_t i = first * pair.size_a; i < (first + pair.components) * pair.size_a; ++i) {
    if (pair.a[i] != pair.b[i]) return false;
  }
  return true;
}

GOLDENTRACE_HD void fill_finite(const PairView& pair, std::size_t first, PairElement& element) {
  element.ulp = 0;
  for (std::size_t i = 0; i < pair.components; ++i) {
    element.difference[i] = difference_of(pair, first + i, element.a[i], element.b[i]);
    if (!pair.floating) continue;
    const std::uint64_t distance = ulp_distance(pair, element.a[i], element.b[i]);
    element.ulp = distance > element.ulp ? distance : element.ulp;
  }
  element.size_a = modulus(element.a, pair.components);
  element.size_b = modulus(element.b, pair.components);
  element.size_difference = modulus(element.difference, pair.components);
  element.agree = element.size_difference == 0;
}

GOLDENTRACE_HD PairElement read_pair_element(const PairView& pair, std::int64_t index) {
  PairElement element;
  const std::size_t first = static_cast<std::size_t>(index) * pair.components;
  for (std::size_t i = 0; i < pair.components; ++i) {
    element.a[i] = component(pair.dtype_a, pair.a, first + i);
    element.b[i] = component(pair.dtype_b, pair.b, first + i);
  }
  element.kind_a = kind_of(element.a, pair.components);
  element.kind_b = kind_of(element.b, pair.components);
  element.same_bits = same_bits(pair, first, element.a, element.b);
  if (element.finite()) {
    fill_finite(pair, first, element);
    return element;
  }
  element.agree = true;
  for (std::size_t i = 0; i < pair.components; ++i) {
    const bool both_nan = pair.nan_same && element.a[i] != element.a[i] && element.b[i] != element.b[i];
    element.agree = element.agree && (element.a[i] == element.b[i] || both_nan);
  }
  return element;
}

}  // namespace goldentrace
