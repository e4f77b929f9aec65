#include "traces/elements.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace goldentrace {
namespace {

double from_half(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  if (exponent == 31) return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double from_brain(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <typename Stored, typename Convert>
std::vector<double> convert(std::span<const std::byte> bytes, Convert to_double) {
  std::vector<double> numbers(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
    numbers[i] = to_double(stored);
  }
  return numbers;
}

template <typename Stored>
std::vector<double> widen(std::span<const std::byte> bytes) {
  return convert<Stored>(bytes, [](Stored value) { return static_cast<double>(value); });
}

// The real dtype of a complex number's parts.
DType part_of(DType dtype) {
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

}  // namespace

std::size_t numbers_in(std::size_t bytes, DType dtype) {
  if (dtype_class(dtype) == DTypeClass::none || dtype_class(dtype) == DTypeClass::opaque) return 0;
  return bytes / item_size(part_of(dtype));
}

std::vector<double> to_numbers(std::span<const std::byte> bytes, DType dtype) {
  switch (part_of(dtype)) {
    case DType::boolean:
      return convert<std::uint8_t>(bytes, [](std::uint8_t value) { return value != 0 ? 1.0 : 0.0; });
    case DType::uint8:
      return widen<std::uint8_t>(bytes);
    case DType::int8:
      return widen<std::int8_t>(bytes);
    case DType::int16:
      return widen<std::int16_t>(bytes);
    case DType::int32:
      return widen<std::int32_t>(bytes);
    case DType::int64:
      return widen<std::int64_t>(bytes);
    case DType::uint16:
      return widen<std::uint16_t>(bytes);
    case DType::uint32:
      return widen<std::uint32_t>(bytes);
    case DType::uint64:
      return widen<std::uint64_t>(bytes);
    case DType::float16:
      return convert<std::uint16_t>(bytes, from_half);
    case DType::bfloat16:
      return convert<std::uint16_t>(bytes, from_brain);
    case DType::float32:
      return widen<float>(bytes);
    case DType::float64:
      return widen<double>(bytes);
    default:
      return {};
  }
}

}  // namespace goldentrace
