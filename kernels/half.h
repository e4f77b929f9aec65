// float16 and bfloat16 as bit patterns: exact widening, and rounding to nearest even.
#pragma once

#include <cstdint>

#include "kernels/host_device.h"

namespace goldentrace {

GOLDENTRACE_INLINE float bfloat16_to_float(std::uint16_t bits) {
  return bits_as<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Without branches, so that loops over it become vector code. Normal numbers and infinities: the exponent is rebiased
// by a multiplication with 2^-112. Subnormal ones: the mantissa is placed below 0.5, which is then subtracted. No float
// subnormal occurs on the way.
GOLDENTRACE_INLINE float half_to_float(std::uint16_t bits) {
  const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
  const std::uint32_t magnitude = word + word;
  const float normal = bits_as<float>((magnitude >> 4) + (0xE0u << 23)) * 0x1p-112f;
  const float subnormal = bits_as<float>((magnitude >> 17) | (126u << 23)) - 0.5f;
  const float result = magnitude < (1u << 27) ? subnormal : normal;
  return bits_as<float>(bits_as<std::uint32_t>(result) | (word & 0x80000000u));
}

// A float64 rounded once, to nearest even, to a format of 16 bits with the given exponent and fraction widths.
// NaN stays NaN (quiet), overflow gives infinity.
template <int exponent_bits, int fraction_bits>
GOLDENTRACE_HD std::uint16_t narrow(double value) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  const std::uint64_t bits = bits_as<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 << (exponent_bits + fraction_bits);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF);
  std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7FF) {
    const std::uint64_t quiet = fraction == 0 ? 0 : std::uint64_t{1} << (fraction_bits - 1);
    return static_cast<std::uint16_t>(sign | infinity | quiet);
  }
  int target = exponent - 1023 + bias;
  int dropped = 52 - fraction_bits;
  if (target <= 0) {
    dropped += 1 - target;
    if (exponent == 0 || dropped > 62) return static_cast<std::uint16_t>(sign);
    fraction |= std::uint64_t{1} << 52;
    target = 0;
  }
  if (target >= (1 << exponent_bits) - 1) return static_cast<std::uint16_t>(sign | infinity);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t kept = fraction >> dropped;
  const std::uint64_t rest = fraction & (2 * half - 1);
  const std::uint64_t up = rest > half || (rest == half && (kept & 1)) ? 1 : 0;
  // A carry out of the fraction raises the exponent by one, and the largest number to infinity.
  const std::uint64_t magnitude = (static_cast<std::uint64_t>(target) << fraction_bits) + kept + up;
  return static_cast<std::uint16_t>(sign | magnitude);
}

inline std::uint16_t to_half(double value) { return narrow<5, 10>(value); }
inline std::uint16_t to_bfloat16(double value) { return narrow<8, 7>(value); }

}  // namespace goldentrace
