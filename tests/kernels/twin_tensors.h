// Tensors on which all ways to take a fingerprint must agree, and all bits of a fingerprint.
#pragma once

#include <bit>
#include <limits>
#include <vector>

#include "kernels/fingerprint.h"
#include "tests/kernels/tensors.h"

namespace goldentrace::testing {

inline std::vector<DType> all_dtypes() {
  std::vector<DType> all = real_dtypes();
  all.insert(all.end(), complex_dtypes().begin(), complex_dtypes().end());
  all.push_back(DType::float8_e5m2);
  return all;
}

inline std::vector<std::uint64_t> bits_of(const Fingerprint& fingerprint) {
  const Statistics& s = fingerprint.statistics;
  std::vector<std::uint64_t> bits{fingerprint.hash.low, fingerprint.hash.high, s.nan_count, s.inf_count, s.zero_count};
  for (const double value : {s.min, s.max, s.mean, s.l2}) bits.push_back(std::bit_cast<std::uint64_t>(value));
  for (const double value : fingerprint.sketch) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

// Finite values of many magnitudes for floating types, any bits for the others.
inline Bytes finite_tensor(DType dtype, std::size_t size) {
  const DType real = dtype == DType::complex32    ? DType::float16
                     : dtype == DType::complex64  ? DType::float32
                     : dtype == DType::complex128 ? DType::float64
                                                  : dtype;
  if (dtype_class(real) != DTypeClass::floating) return random_bytes(size, size);
  std::mt19937_64 random(size);
  std::vector<double> values(size / item_size(real));
  for (double& value : values) {
    value = std::ldexp(std::normal_distribution<double>()(random), static_cast<int>(random() % 9) - 4);
  }
  return encode(values, real);
}

inline std::vector<std::size_t> element_counts(std::size_t item) {
  const std::size_t piece = 16384 / item, segment = 4 * piece;
  return {0,
          1,
          15,
          16,
          17,
          255,
          256,
          257,
          271,
          300,
          512,
          1000,
          piece - 1,
          piece,
          piece + 1,
          piece + 300,
          segment - 17,
          segment,
          segment + 1,
          2 * segment + piece + 77};
}

// Two thirds minus infinity, as in a causal mask.
inline Bytes masked_tensor(DType dtype) {
  std::vector<double> values(70000, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = static_cast<double>(i % 17) - 8;
  return encode(values, dtype);
}

// float64 of about one size, which may be at the edges of its range.
inline Bytes sized_tensor(double size) {
  std::vector<double> values(20000);
  std::mt19937_64 random(7);
  for (double& value : values) value = size * static_cast<double>(random() % 2001) / 2001.0;
  return encode(values, DType::float64);
}
inline constexpr double extreme_sizes[] = {1e300, 1.7e308, 1e-200, 1e-310, 5e-324};

}  // namespace goldentrace::testing
