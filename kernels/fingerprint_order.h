// The order in which the elements of a tensor are added up: the same on every CPU and GPU, hence the same bits.
//
// A tensor consists of pieces of 16 KiB (the pieces of its hash), a piece of groups of 256 real elements, a group of 16
// rows of 16 lanes. All sums start from +0.
//   group, per lane:   its rows from first to last
//   piece, per lane:   its groups from first to last; then lanes are folded: 8 onto 8, 4 onto 4, 2 onto 2, 1 onto 1
//   segment of 4 pieces, span of 64 segments, tensor: their parts from first to last
// A bucket of the sketch sums the elements of a segment from first to last, then likewise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/host_device.h"
#include "kernels/partial_statistics.h"

namespace goldentrace {

inline constexpr std::size_t order_piece_bytes = 16384;
inline constexpr std::size_t group_lanes = 16;
inline constexpr std::size_t group_rows = 16;
inline constexpr std::size_t group_elements = group_lanes * group_rows;
inline constexpr std::size_t segment_pieces = 4;
inline constexpr std::size_t segment_bytes = segment_pieces * order_piece_bytes;
inline constexpr std::size_t span_segments = 64;
inline constexpr std::size_t span_bytes = span_segments * segment_bytes;

GOLDENTRACE_HD double folded(double* lanes) {
  for (std::size_t width = group_lanes / 2; width > 0; width /= 2) {
    for (std::size_t k = 0; k < width; ++k) lanes[k] += lanes[k + width];
  }
  return lanes[0];
}

// Sums of float64 whose squares leave its range are taken again, of the elements divided by 2^exponent.
struct Scaling {
  double first = 1, second = 1;  // factors, applied one after the other: one rounding at most

  static GOLDENTRACE_HD Scaling by(int exponent) {
    if (exponent >= 0) return {power_of_two(-exponent), 1};
    return {power_of_two(-exponent / 2), power_of_two(-exponent - -exponent / 2)};
  }
  GOLDENTRACE_HD double operator()(double value) const { return value * first * second; }

 private:
  // exponent: -1074 to 1023.
  static GOLDENTRACE_HD double power_of_two(int exponent) {
    const std::uint64_t bits =
        exponent >= -1022 ? static_cast<std::uint64_t>(exponent + 1023) << 52 : std::uint64_t{1} << (exponent + 1074);
    return bits_as<double>(bits);
  }
};

// Squares of values outside 2^-480 … 2^480 may leave the range of double.
GOLDENTRACE_HD bool needs_scaling(const PartialStatistics& part) {
  if (part.finite == 0) return false;
  const double low = part.min < 0 ? -part.min : part.min, high = part.max < 0 ? -part.max : part.max;
  const double largest = low > high ? low : high;
  return largest > 0x1p480 || (largest > 0 && largest < 0x1p-480);
}

// Only where needs_scaling: the exponent of the largest magnitude.
GOLDENTRACE_HD int scaling_exponent(const PartialStatistics& part) {
  const double low = part.min < 0 ? -part.min : part.min, high = part.max < 0 ? -part.max : part.max;
  std::uint64_t bits = bits_as<std::uint64_t>(low > high ? low : high);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  if (exponent > -1023) return exponent;
  for (exponent = -1075; bits != 0; bits >>= 1) ++exponent;
  return exponent;
}

}  // namespace goldentrace
