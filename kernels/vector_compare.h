// Loops over two chunks of tensors for kernels/compare.cpp; the same bits from every instruction set.
#pragma once

#include <cfloat>
#include <type_traits>

#include "kernels/element_figures.h"
#include "kernels/row_sums.h"
#include "kernels/vector_code.h"
#include "kernels/vector_load.h"

namespace goldentrace {
namespace {

constexpr std::size_t lanes = pair_lanes;  // independent sums

GOLDENTRACE_INLINE double larger_of(double a, double b) { return a > b ? a : b; }

GOLDENTRACE_INLINE double relative_of(double difference, double a, double b) {
  const double size = larger_of(__builtin_fabs(a), __builtin_fabs(b));
  return __builtin_fabs(difference) / (size > 0 ? size : 1);
}

GOLDENTRACE_INLINE void add_to_sums(PairSums& total, const PairSums& part) {
  total.a += part.a;
  total.b += part.b;
  total.difference += part.difference;
  total.dot += part.dot;
}

template <typename Element>
GOLDENTRACE_INLINE void widen_elements(const std::byte* bytes, std::size_t count, double* values) {
  using Load = VectorLoad<Element>;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    DoublesPair pair;
    if constexpr (Load::as_floats) {
      pair = widened(Load::get(bytes + i * sizeof(typename Element::Bits)));
    } else {
      pair = Load::get(bytes + i * sizeof(typename Element::Bits));
    }
    store_vector(values + i, pair.low);
    store_vector(values + i + width, pair.high);
  }
  for (; i < count; ++i) values[i] = value_at<Element>(bytes, i);
}

void widen(const std::byte* bytes, DType real_dtype, std::size_t count, double* values) {
  with_element(
      real_dtype, [&](auto element)
                      __attribute__((always_inline)) { widen_elements<decltype(element)>(bytes, count, values); });
}

// Divisions are slow: an element can raise the largest relative difference only if |a-b| >= (a bit less than the
// largest so far) x max(|a|,|b|). At least, not more: among subnormal numbers the product may be rounded up to the
// difference.
ElementFigures figures(const double* a, const double* b, const double* difference, std::size_t count,
                       FigureBounds bounds) {
  const double bound = bounds.max_rel * (1 - 0x1p-50);
  double max_abs[lanes] = {}, equal[lanes] = {}, outside[lanes] = {}, raised[lanes] = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double x = __builtin_fabs(a[i + k]), y = __builtin_fabs(b[i + k]), d = __builtin_fabs(difference[i + k]);
      max_abs[k] = larger_of(d, max_abs[k]);
      raised[k] = d >= bound * larger_of(x, y) ? larger_of(d, raised[k]) : raised[k];
      equal[k] += d == 0 ? 1.0 : 0.0;
      outside[k] += d <= bounds.atol + bounds.rtol * x ? 0.0 : 1.0;
    }
  }
  ElementFigures total;
  for (std::size_t k = 0; k < lanes; ++k) {
    total.max_abs = larger_of(max_abs[k], total.max_abs);
    total.may_raise_max_rel |= raised[k] > 0;
    total.equal += static_cast<std::int64_t>(equal[k]);
    total.outside += static_cast<std::int64_t>(outside[k]);
  }
  return total;
}

double largest_relative(const double* a, const double* b, const double* difference, std::size_t count) {
  double largest[lanes] = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      largest[k] = larger_of(relative_of(difference[i + k], a[i + k], b[i + k]), largest[k]);
    }
  }
  double result = largest[0];
  for (const double one : largest) result = larger_of(one, result);
  return result;
}

// Blocks of 128 so that a count fits in the item's own width, which keeps the loop in vector code.
template <typename Bits>
GOLDENTRACE_INLINE std::int64_t count_same(const std::byte* a, const std::byte* b, std::size_t count) {
  std::int64_t total = 0;
  for (std::size_t start = 0; start < count; start += 128) {
    const std::size_t end = count < start + 128 ? count : start + 128;
    Bits same = 0;
    for (std::size_t i = start; i < end; ++i) same += load<Bits>(a, i) == load<Bits>(b, i) ? 1 : 0;
    total += static_cast<std::int64_t>(same);
  }
  return total;
}

GOLDENTRACE_INLINE std::int64_t count_same_pairs(const std::byte* a, const std::byte* b, std::size_t count) {
  std::int64_t same = 0;
  for (std::size_t i = 0; i < 2 * count; i += 2) {
    const std::uint64_t low = load<std::uint64_t>(a, i) ^ load<std::uint64_t>(b, i);
    const std::uint64_t high = load<std::uint64_t>(a, i + 1) ^ load<std::uint64_t>(b, i + 1);
    same += (low | high) == 0 ? 1 : 0;
  }
  return same;
}

std::int64_t count_same_items_loop(const std::byte* a, const std::byte* b, std::size_t item_bytes, std::size_t count) {
  switch (item_bytes) {
    case 1:
      return count_same<std::uint8_t>(a, b, count);
    case 2:
      return count_same<std::uint16_t>(a, b, count);
    case 4:
      return count_same<std::uint32_t>(a, b, count);
    case 8:
      return count_same<std::uint64_t>(a, b, count);
    default:
      return count_same_pairs(a, b, count);
  }
}

bool all_finite(const double* values, std::size_t count) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += __builtin_fabs(values[i]) <= DBL_MAX ? 0 : 1;
  return wrong == 0;
}

// Values of double beyond its range are brought back to the largest: no infinity comes from finite pairs.
void subtract(const double* a, const double* b, std::size_t count, double* difference) {
  for (std::size_t i = 0; i < count; ++i) {
    const double exact = a[i] - b[i];
    const double bounded = exact > DBL_MAX ? DBL_MAX : exact;
    difference[i] = bounded < -DBL_MAX ? -DBL_MAX : bounded;
  }
}

void moduli(const double* parts, std::size_t count, double* modulus) {
  for (std::size_t i = 0; i < count; ++i) {
    const double x = __builtin_fabs(parts[2 * i]), y = __builtin_fabs(parts[2 * i + 1]);
    const double large = x > y ? x : y, small = x > y ? y : x;
    const double quotient = small / (large > 0 ? large : 1);
    const double result = large * __builtin_sqrt(1 + quotient * quotient);
    modulus[i] = result > DBL_MAX ? DBL_MAX : result;
  }
}

// Sums of `lanes` independent columns; the rest of a row that fills no lane is added one by one.
PairSums pair_sums(const double* a, const double* b, const double* difference, std::size_t count) {
  double of_a[lanes] = {}, of_b[lanes] = {}, of_difference[lanes] = {}, of_dot[lanes] = {};
  const std::size_t filled = count / lanes * lanes;
  for (std::size_t i = 0; i < filled; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      of_a[k] += a[i + k] * a[i + k];
      of_b[k] += b[i + k] * b[i + k];
      of_difference[k] += difference[i + k] * difference[i + k];
      of_dot[k] += a[i + k] * b[i + k];
    }
  }
  PairSums total;
  for (std::size_t i = filled; i < count; ++i) {
    add_to_sums(total, {a[i] * a[i], b[i] * b[i], difference[i] * difference[i], a[i] * b[i]});
  }
  for (std::size_t k = 0; k < lanes; ++k) add_to_sums(total, {of_a[k], of_b[k], of_difference[k], of_dot[k]});
  return total;
}

double squares(const double* a, std::size_t count) {
  double sums[lanes] = {};
  const std::size_t filled = count / lanes * lanes;
  for (std::size_t i = 0; i < filled; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += a[i + k] * a[i + k];
  }
  double total = 0;
  for (std::size_t i = filled; i < count; ++i) total += a[i] * a[i];
  for (const double sum : sums) total += sum;
  return total;
}

// Sign and magnitude as one two's complement number.
template <typename Unsigned>
GOLDENTRACE_INLINE Unsigned ordered(Unsigned bits) {
  constexpr Unsigned sign = static_cast<Unsigned>(Unsigned{1} << (8 * sizeof(Unsigned) - 1));
  return static_cast<Unsigned>(bits & sign ? Unsigned{0} - (bits ^ sign) : bits);
}

// Bit width of a distance, by way of a conversion to floating point, which exists for whole vectors. Clearing the
// second highest bit keeps the conversion from rounding up to the next power of two.
GOLDENTRACE_INLINE std::uint32_t bucket_of(std::uint32_t distance) {
  const std::uint32_t half = distance >> 1;  // fits a signed integer
  const auto number = static_cast<float>(static_cast<std::int32_t>(half & ~(half >> 1)));
  const std::uint32_t exponent = bits_as<std::uint32_t>(number) >> 23;
  return (exponent > 126 ? exponent - 126 : 0) + (distance != 0 ? 1 : 0);
}

// Nothing above 2^33 is told apart, and double holds all up to 2^53.
GOLDENTRACE_INLINE std::uint64_t bucket_of(std::uint64_t distance) {
  const std::uint64_t capped = distance < std::uint64_t{1} << 33 ? distance : std::uint64_t{1} << 33;
  const std::uint64_t exponent = bits_as<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(capped))) >> 52;
  const std::uint64_t width = exponent > 1022 ? exponent - 1022 : 0;
  return width < ulp_buckets - 1 ? width : ulp_buckets - 1;
}

// Distance: an unsigned type that holds every distance of the format.
template <typename Unsigned, typename Distance>
GOLDENTRACE_INLINE std::uint64_t buckets_of(const std::byte* a, const std::byte* b, std::size_t count,
                                            std::uint8_t* buckets) {
  using Signed = std::make_signed_t<Unsigned>;
  Distance largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<Signed>(ordered(load<Unsigned>(a, i)));
    const auto y = static_cast<Signed>(ordered(load<Unsigned>(b, i)));
    const auto forth = static_cast<Distance>(x) - static_cast<Distance>(y);
    const Distance distance = x > y ? forth : Distance{0} - forth;
    largest = distance > largest ? distance : largest;
    buckets[i] = static_cast<std::uint8_t>(bucket_of(distance));
  }
  return largest;
}

std::uint64_t ulp_buckets_loop(const std::byte* a, const std::byte* b, std::size_t item_bytes, std::size_t count,
                               std::uint8_t* buckets) {
  switch (item_bytes) {
    case 2:
      return buckets_of<std::uint16_t, std::uint32_t>(a, b, count, buckets);
    case 4:
      return buckets_of<std::uint32_t, std::uint32_t>(a, b, count, buckets);
    default:
      return buckets_of<std::uint64_t, std::uint64_t>(a, b, count, buckets);
  }
}

// One run over the block for each bucket that can occur in it: no store waits for another, and counts fit in a byte.
void count_buckets_loop(const std::uint8_t* buckets, std::size_t count, std::int64_t* histogram) {
  constexpr std::size_t block = 128;
  for (std::size_t start = 0; start < count; start += block) {
    const std::size_t end = count < start + block ? count : start + block;
    std::uint8_t low = ulp_buckets - 1, high = 0;
    for (std::size_t i = start; i < end; ++i) {
      low = buckets[i] < low ? buckets[i] : low;
      high = buckets[i] > high ? buckets[i] : high;
    }
    for (std::size_t bucket = low; bucket <= high; ++bucket) {
      std::uint8_t found = 0;
      for (std::size_t i = start; i < end; ++i) found += buckets[i] == bucket ? 1 : 0;
      histogram[bucket] += found;
    }
  }
}

}  // namespace
}  // namespace goldentrace
