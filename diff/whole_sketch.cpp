#include "diff/whole_sketch.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "traces/hash.h"

namespace goldentrace {

namespace {

// Exact for values that a float16 holds.
std::uint16_t encode_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  if (std::isinf(value)) return sign | 0x7c00;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  if (exponent < -13) return static_cast<std::uint16_t>(sign | std::lround(std::ldexp(std::abs(value), 24)));
  const auto mantissa = std::lround((2 * fraction - 1) * 1024);
  return static_cast<std::uint16_t>(sign | ((exponent + 14) << 10) | mantissa);
}

std::uint16_t encode_bfloat(double value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

template <typename Element, typename Encode>
std::vector<std::byte> encode(const Sketch& sketch, Encode encode_one) {
  std::vector<std::byte> bytes(sketch.size() * sizeof(Element));
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    const Element element = encode_one(sketch[i]);
    std::memcpy(bytes.data() + i * sizeof(Element), &element, sizeof(Element));
  }
  return bytes;
}

template <typename Element>
Element to_integer(double value) {
  const double rounded = std::nearbyint(value);
  const bool fits = rounded >= static_cast<double>(std::numeric_limits<Element>::min()) &&
                    rounded < std::ldexp(1.0, std::numeric_limits<Element>::digits);
  return fits ? static_cast<Element>(rounded) : Element{0};
}

}  // namespace

bool can_be_restored(const Record& record, const Sketch& sketch) {
  if (!is_whole(record, sketch) || dtype_class(record.dtype) == DTypeClass::opaque) return false;
  return content_hash(restore(record, sketch)) == record.fingerprint.hash;
}

bool is_whole(const Record& record, const Sketch& sketch) {
  const std::size_t parts = dtype_class(record.dtype) == DTypeClass::complex ? 2 : 1;
  return !sketch.empty() && sketch.size() == parts * static_cast<std::size_t>(element_count(record.shape));
}

std::vector<std::byte> restore(const Record& record, const Sketch& sketch) {
  switch (record.dtype) {
    case DType::float16:
    case DType::complex32:
      return encode<std::uint16_t>(sketch, encode_half);
    case DType::bfloat16:
      return encode<std::uint16_t>(sketch, encode_bfloat);
    case DType::float32:
    case DType::complex64:
      return encode<float>(sketch, [](double value) { return static_cast<float>(value); });
    case DType::boolean:
    case DType::uint8:
      return encode<std::uint8_t>(sketch, to_integer<std::uint8_t>);
    case DType::int8:
      return encode<std::int8_t>(sketch, to_integer<std::int8_t>);
    case DType::int16:
      return encode<std::int16_t>(sketch, to_integer<std::int16_t>);
    case DType::uint16:
      return encode<std::uint16_t>(sketch, to_integer<std::uint16_t>);
    case DType::int32:
      return encode<std::int32_t>(sketch, to_integer<std::int32_t>);
    case DType::uint32:
      return encode<std::uint32_t>(sketch, to_integer<std::uint32_t>);
    case DType::int64:
      return encode<std::int64_t>(sketch, to_integer<std::int64_t>);
    case DType::uint64:
      return encode<std::uint64_t>(sketch, to_integer<std::uint64_t>);
    default:
      return encode<double>(sketch, [](double value) { return value; });
  }
}

}  // namespace goldentrace
