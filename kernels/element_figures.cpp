#include "kernels/element_figures.h"

#include <cmath>

#include "kernels/vector_code.h"

namespace goldentrace {
namespace {

constexpr std::size_t lanes = pair_lanes;

double larger(double a, double b) { return a > b ? a : b; }

double relative(double difference, double a, double b) {
  const double size = larger(std::abs(a), std::abs(b));
  return std::abs(difference) / (size > 0 ? size : 1);
}

bool is_outside(double difference, double a, double rtol, double atol) {
  return !(std::abs(difference) <= atol + rtol * std::abs(a));
}

std::size_t padded(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

template <typename Predicate>
std::size_t first_where(const PairChunk& chunk, Predicate predicate) {
  std::size_t i = 0;
  while (i < chunk.elements && !predicate(i)) ++i;
  return i;
}

}  // namespace

ElementFigures element_figures(const PairChunk& chunk, const FigureBounds& bounds) {
  const std::size_t count = padded(chunk.elements);
  ElementFigures figures = vector_code().figures(chunk.size_a, chunk.size_b, chunk.size_difference, count, bounds);
  figures.equal -= static_cast<std::int64_t>(count - chunk.elements);
  return figures;
}

double largest_rel(const PairChunk& chunk) {
  return vector_code().largest_relative(chunk.size_a, chunk.size_b, chunk.size_difference, padded(chunk.elements));
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

std::int64_t count_same_items(const std::byte* a, const std::byte* b, std::size_t item_bytes, std::size_t count) {
  return vector_code().count_same_items(a, b, item_bytes, count);
}

}  // namespace goldentrace
