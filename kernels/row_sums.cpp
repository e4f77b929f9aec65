#include "kernels/row_sums.h"

#include <algorithm>
#include <cmath>

#include "kernels/clones.h"

namespace goldentrace {
namespace {

constexpr std::size_t remembered_rows = std::size_t{1} << 18;
constexpr std::size_t lanes = 16;

GOLDENTRACE_INLINE void accumulate(PairSums& total, const PairSums& part) {
  total.a += part.a;
  total.b += part.b;
  total.difference += part.difference;
  total.dot += part.dot;
}

// Sums of `lanes` independent columns; the rest of a row that fills no lane is added one by one.
GOLDENTRACE_CLONES
PairSums sums_of(const double* a, const double* b, const double* difference, std::size_t count) {
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
    accumulate(total, {a[i] * a[i], b[i] * b[i], difference[i] * difference[i], a[i] * b[i]});
  }
  for (std::size_t k = 0; k < lanes; ++k) accumulate(total, {of_a[k], of_b[k], of_difference[k], of_dot[k]});
  return total;
}

GOLDENTRACE_CLONES
double squares_of(const double* a, std::size_t count) {
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

PairSums scaled_sums_of(const double* a, const double* b, const double* difference, std::size_t count, SumScale scale) {
  PairSums sums;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = std::ldexp(a[i], -scale.values), y = std::ldexp(b[i], -scale.values);
    const double z = std::ldexp(difference[i], -scale.difference);
    accumulate(sums, {x * x, y * y, z * z, x * y});
  }
  return sums;
}

PairSums sums_of(const PairChunk& chunk, std::size_t start, std::size_t count, SumScale scale) {
  const double* a = chunk.value_a.data() + start;
  const double* b = chunk.identical ? a : chunk.value_b.data() + start;
  static constexpr std::array<double, pair_components> zeros{};
  const double* difference = chunk.identical ? zeros.data() : chunk.difference.data() + start;
  if (scale.values != 0 || scale.difference != 0) return scaled_sums_of(a, b, difference, count, scale);
  if (!chunk.identical) return sums_of(a, b, difference, count);
  const double squares = squares_of(a, count);
  return {.a = squares, .b = squares, .dot = squares};
}

}  // namespace

RowSums::RowSums(const TensorPair& pair, std::int64_t row_elements, SumScale scale, std::optional<double> least_square)
    : elements_(pair.elements),
      row_elements_(row_elements),
      components_(pair.components),
      scale_(scale),
      least_square_(least_square) {}

void RowSums::add(const PairChunk& chunk) {
  if (row_elements_ == 0) return accumulate(total_, sums_of(chunk, 0, chunk.components, scale_));
  for (std::size_t at = 0; at < chunk.elements;) {
    const auto count = static_cast<std::size_t>(
        std::min<std::int64_t>(static_cast<std::int64_t>(chunk.elements - at), row_elements_ - row_filled_));
    accumulate(row_, sums_of(chunk, at * components_, count * components_, scale_));
    at += count;
    row_filled_ += static_cast<std::int64_t>(count);
    if (row_filled_ == row_elements_) close_row();
  }
}

void RowSums::close_row() {
  accumulate(total_, row_);
  const Row row{row_number_, row_.a, row_.difference};
  if (least_square_) {
    judge(row, *least_square_, worst_);
  } else if (row.difference > 0) {
    overflowed_ = differing_.size() == remembered_rows;
    if (!overflowed_) differing_.push_back(row);
  }
  row_ = {};
  row_filled_ = 0;
  ++row_number_;
}

double RowSums::least_square() const {
  if (row_elements_ == 0 || elements_ == 0) return 0;
  return 0.01 * total_.a / static_cast<double>(elements_ / row_elements_);
}

void RowSums::judge(const Row& row, double least_square, WorstRow& worst) const {
  if (row.a < least_square || row.a == 0) return;
  const double ratio = std::sqrt(row.difference) / std::sqrt(row.a);
  if (ratio > worst.ratio) worst = {ratio, row.number};
}

std::optional<WorstRow> RowSums::worst() const {
  if (least_square_) return worst_;
  if (overflowed_) return std::nullopt;
  WorstRow worst;
  for (const Row& row : differing_) judge(row, least_square(), worst);
  return worst;
}

}  // namespace goldentrace
