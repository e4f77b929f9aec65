#include "kernels/chunk.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/clones.h"
#include "kernels/element.h"
#include "kernels/sketch.h"

namespace goldentrace {
namespace {

constexpr std::size_t lanes = 16;  // independent sums: the order of additions never depends on the vector width
constexpr std::size_t group = 64;  // elements that share one word of signs

GOLDENTRACE_INLINE double with_sign(double value, std::uint64_t sign_bit) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (sign_bit << 63));
}

struct Lanes {
  double sum[lanes] = {};
  double squares[lanes] = {};
  double min[lanes];
  double max[lanes];
  double zero[lanes] = {};
};

template <typename Element>
GOLDENTRACE_INLINE void read_group(const std::byte* bytes, std::uint64_t signs, double* signed_values, Lanes& part) {
  for (std::size_t i = 0; i < group; i += lanes) {
    const std::uint64_t word = signs >> i;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double value = value_at<Element>(bytes, i + k);
      part.sum[k] += value;
      part.squares[k] += value * value;
      part.min[k] = value < part.min[k] ? value : part.min[k];
      part.max[k] = value > part.max[k] ? value : part.max[k];
      part.zero[k] += value == 0 ? 1.0 : 0.0;
      signed_values[i + k] =
          std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (word << (63 - k) & std::uint64_t{1} << 63));
    }
  }
}

GOLDENTRACE_INLINE PartialStatistics total_of(const Lanes& part, std::size_t count) {
  PartialStatistics total{.min = part.min[0], .max = part.max[0], .finite = count};
  for (std::size_t k = 0; k < lanes; ++k) {
    total.sum += part.sum[k];
    total.squares += part.squares[k];
    total.min = part.min[k] < total.min ? part.min[k] : total.min;
    total.max = part.max[k] > total.max ? part.max[k] : total.max;
    total.zero += static_cast<std::uint64_t>(part.zero[k]);
  }
  return total;
}

// Right only when every element is finite: a non-finite one makes `squares` non-finite.
template <typename Element>
GOLDENTRACE_INLINE PartialStatistics read_groups(const std::byte* bytes, std::uint64_t first, std::size_t count,
                                                 double* signed_values) {
  Lanes part;
  for (std::size_t k = 0; k < lanes; ++k) part.min[k] = part.max[k] = value_at<Element>(bytes, k);
  for (std::size_t i = 0; i < count; i += group) {
    read_group<Element>(bytes + i * sizeof(typename Element::Bits), sketch_signs((first + i) / group),
                        signed_values + i, part);
  }
  return total_of(part, count);
}

template <typename Element>
PartialStatistics read_one_by_one(const std::byte* bytes, std::uint64_t first, std::size_t count,
                                  double* signed_values) {
  PartialStatistics part;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = value_at<Element>(bytes, i);
    signed_values[i] = 0;
    if (std::isnan(value)) {
      ++part.nan;
    } else if (std::isinf(value)) {
      ++part.infinite;
    } else {
      const std::uint64_t signs = sketch_signs((first + i) / group);
      signed_values[i] = with_sign(value, signs >> (first + i) % group & 1);
      add(part, {.sum = value, .squares = value * value, .min = value, .max = value, .finite = 1, .zero = value == 0});
    }
  }
  return part;
}

template <typename Element>
GOLDENTRACE_INLINE PartialStatistics read(const std::byte* bytes, std::uint64_t first, std::size_t count,
                                          double* signed_values) {
  const std::size_t grouped = count / group * group;
  PartialStatistics total;
  if (grouped > 0) {
    total = read_groups<Element>(bytes, first, grouped, signed_values);
    if (!std::isfinite(total.squares)) total = read_one_by_one<Element>(bytes, first, grouped, signed_values);
  }
  if (grouped < count) {
    add(total, read_one_by_one<Element>(bytes + grouped * sizeof(typename Element::Bits), first + grouped,
                                        count - grouped, signed_values + grouped));
  }
  return total;
}

}  // namespace

void add(PartialStatistics& total, const PartialStatistics& part) {
  if (part.finite > 0) {
    total.min = total.finite > 0 ? std::min(total.min, part.min) : part.min;
    total.max = total.finite > 0 ? std::max(total.max, part.max) : part.max;
  }
  total.sum += part.sum;
  total.squares += part.squares;
  total.finite += part.finite;
  total.nan += part.nan;
  total.infinite += part.infinite;
  total.zero += part.zero;
}

GOLDENTRACE_CLONES
PartialStatistics read_chunk(const std::byte* bytes, DType real_dtype, std::uint64_t first, std::size_t count,
                             double* signed_values) {
  PartialStatistics result;
  with_element(
      real_dtype, [&](auto element) __attribute__((always_inline)) {
        result = read<decltype(element)>(bytes, first, count, signed_values);
      });
  return result;
}

ScaledSums scaled_sums(const std::byte* bytes, DType real_dtype, std::size_t count, int exponent) {
  ScaledSums sums;
  with_element(real_dtype, [&](auto element) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = std::ldexp(value_at<decltype(element)>(bytes, i), -exponent);
      if (!std::isfinite(value)) continue;
      sums.sum += value;
      sums.squares += value * value;
    }
  });
  return sums;
}

}  // namespace goldentrace
