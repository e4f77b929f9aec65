#include "kernels/chunk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "kernels/clones.h"
#include "kernels/element.h"
#include "kernels/sketch.h"

namespace goldentrace {
namespace {

constexpr std::size_t lanes = 16;  // independent sums: the order of additions never depends on the vector width
constexpr std::size_t group = 64;  // elements that share one word of signs

// Right only when every value is finite: a non-finite one makes `squares` non-finite. `count`: a multiple of `group`.
// One flat loop over local arrays, so that the sums stay in registers. Number: float or double.
template <typename Number>
GOLDENTRACE_INLINE PartialStatistics read_groups(const std::byte* values, std::uint64_t first, std::size_t count,
                                                 double* __restrict signed_values) {
  std::uint64_t signs[chunk_elements / group];
  for (std::size_t g = 0; g < count / group; ++g) signs[g] = sketch_signs(first / group + g);
  double sum[lanes] = {}, squares[lanes] = {};
  Number zero[lanes] = {}, min[lanes], max[lanes];
  for (std::size_t k = 0; k < lanes; ++k) min[k] = max[k] = load<Number>(values, k);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::uint64_t word = signs[i / group] >> i % group;
    for (std::size_t k = 0; k < lanes; ++k) {
      const auto value = load<Number>(values, i + k);
      zero[k] += value == 0 ? Number{1} : Number{0};
      min[k] = value < min[k] ? value : min[k];
      max[k] = value > max[k] ? value : max[k];
      const auto wide = static_cast<double>(value);
      sum[k] += wide;
      squares[k] += wide * wide;
      signed_values[i + k] =
          std::bit_cast<double>(std::bit_cast<std::uint64_t>(wide) ^ (word << (63 - k) & std::uint64_t{1} << 63));
    }
  }
  PartialStatistics total{.min = min[0], .max = max[0], .finite = count};
  for (std::size_t k = 0; k < lanes; ++k) {
    total.sum += sum[k];
    total.squares += squares[k];
    total.zero += static_cast<std::uint64_t>(zero[k]);
    total.min = min[k] < total.min ? min[k] : total.min;
    total.max = max[k] > total.max ? max[k] : total.max;
  }
  return total;
}

template <typename Number>
PartialStatistics read_one_by_one(const std::byte* values, std::uint64_t first, std::size_t count,
                                  double* signed_values) {
  PartialStatistics part;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = load<Number>(values, i);
    signed_values[i] = 0;
    if (std::isnan(value)) {
      ++part.nan;
    } else if (std::isinf(value)) {
      ++part.infinite;
    } else {
      signed_values[i] = sketch_sign(first + i) * value;
      add(part, {.sum = value, .squares = value * value, .min = value, .max = value, .finite = 1, .zero = value == 0});
    }
  }
  return part;
}

template <typename Number>
GOLDENTRACE_INLINE PartialStatistics read(const std::byte* values, std::uint64_t first, std::size_t count,
                                          double* signed_values) {
  const std::size_t grouped = count / group * group;
  PartialStatistics total;
  if (grouped > 0) {
    total = read_groups<Number>(values, first, grouped, signed_values);
    if (!std::isfinite(total.squares)) total = read_one_by_one<Number>(values, first, grouped, signed_values);
  }
  if (grouped < count) {
    add(total, read_one_by_one<Number>(values + grouped * sizeof(Number), first + grouped, count - grouped,
                                       signed_values + grouped));
  }
  return total;
}

// float and double are read where they lie; others are widened first. float holds every value of up to 16 bits.
template <typename Element>
GOLDENTRACE_INLINE PartialStatistics read_elements(const std::byte* bytes, std::uint64_t first, std::size_t count,
                                                   double* signed_values) {
  using Bits = typename Element::Bits;
  if constexpr (std::is_floating_point_v<Bits>) {
    return read<Bits>(bytes, first, count, signed_values);
  } else {
    using Number = std::conditional_t<sizeof(Bits) <= 2, float, double>;
    alignas(64) Number values[chunk_elements];
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<Number>(value_at<Element>(bytes, i));
    return read<Number>(reinterpret_cast<const std::byte*>(values), first, count, signed_values);
  }
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
        result = read_elements<decltype(element)>(bytes, first, count, signed_values);
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
