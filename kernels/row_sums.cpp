#include "kernels/row_sums.h"

#include <algorithm>
#include <cmath>

#include "kernels/vector_code.h"

namespace goldentrace {
namespace {

constexpr std::size_t remembered_rows = std::size_t{1} << 18;

void accumulate(PairSums& total, const PairSums& part) {
  total.a += part.a;
  total.b += part.b;
  total.difference += part.difference;
  total.dot += part.dot;
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
  if (!chunk.identical) return vector_code().pair_sums(a, b, difference, count);
  const double squares = vector_code().squares(a, count);
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
