// Small tensors for kernel tests, and elements read the slow and obvious way.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "kernels/half.h"
#include "traces/dtype.h"

namespace goldentrace::testing {

using Bytes = std::vector<std::byte>;

inline const std::vector<DType>& real_dtypes() {
  static const std::vector<DType> all{DType::boolean,  DType::uint8,   DType::int8,   DType::int16,  DType::int32,
                                      DType::int64,    DType::uint16,  DType::uint32, DType::uint64, DType::float16,
                                      DType::bfloat16, DType::float32, DType::float64};
  return all;
}
inline const std::vector<DType>& floating_dtypes() {
  static const std::vector<DType> all{DType::float16, DType::bfloat16, DType::float32, DType::float64};
  return all;
}
inline const std::vector<DType>& complex_dtypes() {
  static const std::vector<DType> all{DType::complex32, DType::complex64, DType::complex128};
  return all;
}

// The value of a float with the given widths, straight from the definition in IEEE 754.
inline double decode(std::uint64_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int special = (1 << exponent_bits) - 1;
  const auto fraction = static_cast<double>(bits & ((std::uint64_t{1} << fraction_bits) - 1));
  const int exponent = static_cast<int>(bits >> fraction_bits) & special;
  const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
  if (exponent == special) return fraction != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * (std::ldexp(1.0, exponent - bias) + std::ldexp(fraction, exponent - bias - fraction_bits));
}

template <typename T>
T read(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Element `index` of a real dtype.
inline double element(std::span<const std::byte> bytes, DType dtype, std::size_t index) {
  switch (dtype) {
    case DType::boolean:
      return read<std::uint8_t>(bytes, index) != 0;
    case DType::uint8:
      return read<std::uint8_t>(bytes, index);
    case DType::int8:
      return read<std::int8_t>(bytes, index);
    case DType::int16:
      return read<std::int16_t>(bytes, index);
    case DType::int32:
      return read<std::int32_t>(bytes, index);
    case DType::int64:
      return static_cast<double>(read<std::int64_t>(bytes, index));
    case DType::uint16:
      return read<std::uint16_t>(bytes, index);
    case DType::uint32:
      return read<std::uint32_t>(bytes, index);
    case DType::uint64:
      return static_cast<double>(read<std::uint64_t>(bytes, index));
    case DType::float16:
      return decode(read<std::uint16_t>(bytes, index), 5, 10);
    case DType::bfloat16:
      return decode(read<std::uint16_t>(bytes, index), 8, 7);
    case DType::float32:
      return decode(read<std::uint32_t>(bytes, index), 8, 23);
    default:
      return read<double>(bytes, index);
  }
}

inline Bytes random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::vector<float> normal_floats(std::size_t count, std::uint64_t seed, double scale = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(normal(random));
  return values;
}

// Values rounded to a floating dtype, as bytes.
inline Bytes encode(const std::vector<double>& values, DType dtype) {
  Bytes bytes(values.size() * item_size(dtype));
  const auto put = [&](std::size_t i, auto value) {
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::float16) put(i, to_half(values[i]));
    if (dtype == DType::bfloat16) put(i, to_bfloat16(values[i]));
    if (dtype == DType::float32) put(i, static_cast<float>(values[i]));
    if (dtype == DType::float64) put(i, values[i]);
  }
  return bytes;
}

}  // namespace goldentrace::testing
