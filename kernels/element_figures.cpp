#include "kernels/element_figures.h"

#include <algorithm>
#include <cmath>

#include "kernels/clones.h"
#include "kernels/element.h"

namespace goldentrace {
namespace {

constexpr std::size_t lanes = pair_lanes;

GOLDENTRACE_INLINE double larger(double a, double b) { return a > b ? a : b; }

GOLDENTRACE_INLINE double relative(double difference, double a, double b) {
  const double size = larger(std::abs(a), std::abs(b));
  return std::abs(difference) / (size > 0 ? size : 1);
}

GOLDENTRACE_INLINE bool is_outside(double difference, double a, double rtol, double atol) {
  return !(std::abs(difference) <= atol + rtol * std::abs(a));
}

// Divisions are slow: an element can raise the largest relative difference only if |a-b| >= (a bit less than the
// largest so far) x max(|a|,|b|). At least, not more: among subnormal numbers the product may be rounded up to the
// difference.
GOLDENTRACE_CLONES
ElementFigures figures_of(const double* a, const double* b, const double* difference, std::size_t count,
                          FigureBounds bounds) {
  const double bound = bounds.max_rel * (1 - 0x1p-50);
  double max_abs[lanes] = {}, equal[lanes] = {}, outside[lanes] = {}, raised[lanes] = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double x = std::abs(a[i + k]), y = std::abs(b[i + k]), d = std::abs(difference[i + k]);
      max_abs[k] = larger(d, max_abs[k]);
      raised[k] = d >= bound * larger(x, y) ? larger(d, raised[k]) : raised[k];
      equal[k] += d == 0 ? 1.0 : 0.0;
      outside[k] += d <= bounds.atol + bounds.rtol * x ? 0.0 : 1.0;
    }
  }
  ElementFigures total;
  for (std::size_t k = 0; k < lanes; ++k) {
    total.max_abs = larger(max_abs[k], total.max_abs);
    total.may_raise_max_rel |= raised[k] > 0;
    total.equal += static_cast<std::int64_t>(equal[k]);
    total.outside += static_cast<std::int64_t>(outside[k]);
  }
  return total;
}

GOLDENTRACE_CLONES
double largest_relative(const double* a, const double* b, const double* difference, std::size_t count) {
  double largest[lanes] = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      largest[k] = larger(relative(difference[i + k], a[i + k], b[i + k]), largest[k]);
    }
  }
  return *std::max_element(largest, largest + lanes);
}

std::size_t padded(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

template <typename Predicate>
std::size_t first_where(const PairChunk& chunk, Predicate predicate) {
  std::size_t i = 0;
  while (i < chunk.elements && !predicate(i)) ++i;
  return i;
}

// Blocks of 128 so that a count fits in the item's own width, which keeps the loop in vector code.
template <typename Bits>
GOLDENTRACE_INLINE std::int64_t count_same(const std::byte* a, const std::byte* b, std::size_t count) {
  std::int64_t total = 0;
  for (std::size_t start = 0; start < count; start += 128) {
    const std::size_t end = std::min(count, start + 128);
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

}  // namespace

ElementFigures element_figures(const PairChunk& chunk, const FigureBounds& bounds) {
  const std::size_t count = padded(chunk.elements);
  ElementFigures figures = figures_of(chunk.size_a, chunk.size_b, chunk.size_difference, count, bounds);
  figures.equal -= static_cast<std::int64_t>(count - chunk.elements);
  return figures;
}

double largest_rel(const PairChunk& chunk) {
  return largest_relative(chunk.size_a, chunk.size_b, chunk.size_difference, padded(chunk.elements));
}

std::size_t first_with_abs(const PairChunk& chunk, double max_abs) {
  return first_where(chunk, [&](std::size_t i) { return std::abs(chunk.size_difference[i]) == max_abs; });
}

std::size_t first_with_rel(const PairChunk& chunk, double max_rel) {
  return first_where(chunk, [&](std::size_t i) {
    return relative(chunk.size_difference[i], chunk.size_a[i], chunk.size_b[i]) == max_rel;
  });
}

std::size_t first_outside(const PairChunk& chunk, double rtol, double atol) {
  return first_where(chunk,
                     [&](std::size_t i) { return is_outside(chunk.size_difference[i], chunk.size_a[i], rtol, atol); });
}

GOLDENTRACE_CLONES
std::int64_t count_same_items(const std::byte* a, const std::byte* b, std::size_t item_bytes, std::size_t count) {
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

}  // namespace goldentrace
