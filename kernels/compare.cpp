#include "kernels/compare.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/compare_result.h"
#include "kernels/element.h"
#include "kernels/element_figures.h"
#include "kernels/float_environment.h"
#include "kernels/pair_chunk.h"
#include "kernels/row_sums.h"
#include "kernels/ulp.h"

namespace goldentrace {
namespace {

bool has_ulp(DType real_dtype) { return dtype_class(real_dtype) == DTypeClass::floating; }

template <typename Visitor>
void for_each_chunk(const TensorPair& pair, bool nan_same, const Visitor& visit) {
  PairChunk chunk;
  for (std::int64_t first = 0; first < pair.elements; first += static_cast<std::int64_t>(chunk_size(pair))) {
    read_pair(pair, first, nan_same, chunk);
    visit(chunk);
  }
}

void keep_first(std::int64_t& kept, std::int64_t index) {
  if (kept < 0 || (index >= 0 && index < kept)) kept = index;
}

// Gathers everything that is said element by element; sums are RowSums' work.
class ElementPass {
 public:
  ElementPass(const TensorPair& pair, const CompareOptions& options, Comparison& result)
      : pair_(pair), options_(options), result_(result) {}

  void add(const PairChunk& chunk) {
    if (chunk.identical) return add_identical(static_cast<std::int64_t>(chunk.elements));
    add_nonfinite(chunk);
    add_figures(chunk);
    if (has_ulp(pair_.dtype_a) && options_.metrics == Metrics::all) add_ulp(chunk);
  }

 private:
  void add_identical(std::int64_t elements) {
    result_.bit_equal += elements;
    result_.value_equal += elements;
    if (has_ulp(pair_.dtype_a) && options_.metrics == Metrics::all) result_.ulp_histogram[0] += elements;
  }

  void add_nonfinite(const PairChunk& chunk);
  void add_figures(const PairChunk& chunk);
  void add_largest(const PairChunk& chunk, const ElementFigures& figures);
  std::int64_t count_bit_equal(const PairChunk& chunk) const;
  void add_ulp(const PairChunk& chunk);
  std::uint64_t find_buckets(const PairChunk& chunk, std::uint8_t* buckets) const;

  const TensorPair& pair_;
  const CompareOptions& options_;
  Comparison& result_;
};

void ElementPass::add_nonfinite(const PairChunk& chunk) {
  const NonFiniteCounts& found = chunk.nonfinite;
  if (found.excluded_count == 0) return;
  result_.nan_a += found.nan_a;
  result_.nan_b += found.nan_b;
  result_.inf_a += found.inf_a;
  result_.inf_b += found.inf_b;
  keep_first(result_.first_nan_a, found.first_nan_a);
  keep_first(result_.first_nan_b, found.first_nan_b);
  keep_first(result_.first_inf_a, found.first_inf_a);
  keep_first(result_.first_inf_b, found.first_inf_b);
  result_.nonfinite_mismatch += found.mismatched;
  keep_first(result_.first_nonfinite, found.first_mismatched);
  result_.outside += found.mismatched;
  keep_first(result_.first_outside, found.first_mismatched);
  result_.value_equal -= found.mismatched;  // figures count excluded pairs as equal
}

std::int64_t ElementPass::count_bit_equal(const PairChunk& chunk) const {
  if (pair_.same_dtype()) {
    const std::size_t item = item_size(pair_.dtype_a) * pair_.components;
    return count_same_items(chunk.raw_a, chunk.raw_b, item, chunk.elements);
  }
  const std::int64_t all =
      count_same_items(reinterpret_cast<const std::byte*>(chunk.value_a.data()),
                       reinterpret_cast<const std::byte*>(chunk.value_b.data()), sizeof(double), chunk.elements);
  const auto excluded = static_cast<std::int64_t>(chunk.nonfinite.excluded_count);
  return excluded == 0 ? all : all - excluded + chunk.nonfinite.bit_equal;  // excluded pairs are +0 on both sides
}

void ElementPass::add_figures(const PairChunk& chunk) {
  const ElementFigures figures = element_figures(chunk, {options_.rtol, options_.atol, result_.max_rel});
  const std::int64_t bit_equal = count_bit_equal(chunk);
  const auto excluded = static_cast<std::int64_t>(chunk.nonfinite.excluded_count);
  const std::int64_t excluded_bit_equal = excluded == 0 ? 0 : chunk.nonfinite.bit_equal;
  result_.value_equal += figures.equal;
  result_.bit_equal += bit_equal;
  if (has_ulp(pair_.dtype_a)) {
    result_.zero_sign += figures.equal - excluded - (bit_equal - excluded_bit_equal);
  }
  result_.outside += figures.outside;
  if (figures.outside > 0 && (result_.first_outside < 0 || result_.first_outside >= chunk.first)) {
    const auto position = first_outside(chunk, options_.rtol, options_.atol);
    keep_first(result_.first_outside, chunk.first + static_cast<std::int64_t>(position));
  }
  add_largest(chunk, figures);
}

void ElementPass::add_largest(const PairChunk& chunk, const ElementFigures& figures) {
  if (figures.max_abs > result_.max_abs) {
    const std::size_t position = first_with_abs(chunk, figures.max_abs);
    result_.max_abs = figures.max_abs;
    result_.max_abs_index = chunk.first + static_cast<std::int64_t>(position);
    result_.a_at_max = chunk.value_a[position * pair_.components];
    result_.b_at_max = chunk.value_b[position * pair_.components];
  }
  if (!figures.may_raise_max_rel || options_.metrics != Metrics::all) return;
  const double max_rel = largest_rel(chunk);
  if (max_rel > result_.max_rel) {
    result_.max_rel = max_rel;
    result_.max_rel_index = chunk.first + static_cast<std::int64_t>(first_with_rel(chunk, max_rel));
  }
}

// Copies are compared where dtypes are mixed, and where pairs were excluded: those are 0 on both sides then.
std::uint64_t ElementPass::find_buckets(const PairChunk& chunk, std::uint8_t* buckets) const {
  if (pair_.same_dtype() && chunk.nonfinite.excluded_count == 0) {
    return find_ulp_buckets(chunk.raw_a, chunk.raw_b, pair_.dtype_a, chunk.components, buckets);
  }
  const DType dtype = coarser(pair_.dtype_a, pair_.dtype_b);
  std::array<std::byte, pair_components * sizeof(double)> a, b;
  round_to(dtype, chunk.value_a.data(), chunk.components, a.data());
  round_to(dtype, chunk.value_b.data(), chunk.components, b.data());
  return find_ulp_buckets(a.data(), b.data(), dtype, chunk.components, buckets);
}

void ElementPass::add_ulp(const PairChunk& chunk) {
  std::array<std::uint8_t, pair_components> buckets;
  result_.max_ulp = std::max(result_.max_ulp, find_buckets(chunk, buckets.data()));
  if (pair_.components == 2) {
    for (std::size_t i = 0; i < chunk.elements; ++i) buckets[i] = std::max(buckets[2 * i], buckets[2 * i + 1]);
  }
  count_buckets(buckets.data(), chunk.elements, result_.ulp_histogram);
  if (chunk.nonfinite.excluded_count == 0) return;
  result_.ulp_histogram.front() -= chunk.nonfinite.mismatched;
  result_.ulp_histogram.back() += chunk.nonfinite.mismatched;
}

double largest_value(const TensorPair& pair) {
  double largest = 0;
  for_each_chunk(pair, true, [&](const PairChunk& chunk) {
    for (std::size_t i = 0; i < chunk.components; ++i) {
      largest = std::max(largest, std::abs(chunk.value_a[i]));
      if (!chunk.identical) largest = std::max(largest, std::abs(chunk.value_b[i]));
    }
  });
  return largest;
}

// Runs over the pair again until sums are in range and the worst row is known: usually not at all.
Sums settle(const TensorPair& pair, std::int64_t row_length, const RowSums& first, double max_abs) {
  const auto again = [&](SumScale scale, std::optional<double> least_square) {
    RowSums rows(pair, row_length, scale, least_square);
    for_each_chunk(pair, true, [&](const PairChunk& chunk) { rows.add(chunk); });
    return rows;
  };
  const auto finish = [&](const RowSums& rows, SumScale scale) -> Sums {
    const std::optional<WorstRow> worst = rows.worst();
    return {rows.total(), worst ? *worst : *again(scale, rows.least_square()).worst(), scale};
  };
  const bool suspect = may_need_scale(pair, first.total(), max_abs);
  const SumScale scale = suspect ? scale_for(pair, first.total(), largest_value(pair), max_abs) : SumScale{};
  if (scale.values == 0 && scale.difference == 0) return finish(first, scale);
  return finish(again(scale, {}), scale);
}

Comparison compare_opaque(const TensorPair& pair) {
  Comparison result{.elements = pair.elements};
  const auto count = static_cast<std::size_t>(pair.elements);
  result.bit_equal = result.value_equal = count_same_items(pair.a, pair.b, 1, count);
  result.outside = result.elements - result.bit_equal;
  if (result.outside > 0) result.first_outside = std::mismatch(pair.a, pair.a + count, pair.b).first - pair.a;
  set_opaque_norm(result);
  return result;
}

}  // namespace

Comparison compare(const TensorView& a, const TensorView& b, const CompareOptions& options) {
  const TensorPair pair = checked_pair(a, b);
  if (dtype_class(pair.dtype_a) == DTypeClass::opaque) return compare_opaque(pair);
  const DefaultFloatEnvironment environment;
  const std::int64_t row_length = row_elements(a);
  Comparison result{.elements = pair.elements};
  ElementPass elements(pair, options, result);
  RowSums rows(pair, row_length, {});
  for_each_chunk(pair, options.nan_same, [&](const PairChunk& chunk) {
    elements.add(chunk);
    rows.add(chunk);
  });
  if (pair.elements > 0) set_norms(settle(pair, row_length, rows, result.max_abs), result);
  return result;
}

double element_as_double(const TensorView& tensor, std::int64_t flat_index) {
  const std::size_t size = item_size(tensor.dtype);
  const auto index = static_cast<std::uint64_t>(flat_index);
  if (size == 0 || flat_index < 0 || index >= tensor.bytes.size() / size) {
    throw std::out_of_range("element_as_double: index outside the tensor");
  }
  if (dtype_class(tensor.dtype) == DTypeClass::opaque) return std::to_integer<int>(tensor.bytes[index]);
  double value = 0;
  with_element(component_dtype(tensor.dtype),
               [&](auto element) { value = value_at<decltype(element)>(tensor.bytes.data() + index * size, 0); });
  return value;
}

}  // namespace goldentrace
