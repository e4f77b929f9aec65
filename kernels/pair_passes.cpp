#include <algorithm>
#include <cmath>

#include "kernels/compare_result.h"
#include "kernels/element.h"

namespace goldentrace {
namespace {

PairView view_of(const TensorPair& pair, const CompareOptions& options) {
  const DTypeClass kind = dtype_class(pair.dtype_a);
  return {.a = reinterpret_cast<const unsigned char*>(pair.a),
          .b = reinterpret_cast<const unsigned char*>(pair.b),
          .dtype_a = pair.dtype_a,
          .dtype_b = pair.dtype_b,
          .components = pair.components,
          .elements = pair.elements,
          .size_a = item_size(pair.dtype_a),
          .size_b = item_size(pair.dtype_b),
          .opaque = kind == DTypeClass::opaque,
          .floating = kind == DTypeClass::floating,
          .nan_same = options.nan_same,
          .rtol = options.rtol,
          .atol = options.atol};
}

std::int64_t known(std::int64_t index) { return index == no_index ? -1 : index; }

Comparison comparison_of(const PairView& pair, const PairPart& part) {
  Comparison result{.elements = pair.elements};
  result.bit_equal = part.bit_equal, result.value_equal = part.value_equal, result.zero_sign = part.zero_sign;
  result.nonfinite_mismatch = part.mismatched, result.first_nonfinite = known(part.first_mismatched);
  result.nan_a = part.nan_a, result.nan_b = part.nan_b, result.inf_a = part.inf_a, result.inf_b = part.inf_b;
  result.first_nan_a = known(part.first_nan_a), result.first_nan_b = known(part.first_nan_b);
  result.first_inf_a = known(part.first_inf_a), result.first_inf_b = known(part.first_inf_b);
  result.max_abs = part.abs.value, result.max_abs_index = known(part.abs.index);
  result.a_at_max = part.a_at_max, result.b_at_max = part.b_at_max;
  result.outside = part.outside, result.first_outside = known(part.first_outside);
  return result;
}

PairSums pair_sums(const SquareSums& sums) { return {sums.a, sums.b, sums.difference, sums.dot}; }

PairScaling scaling_by(const SumScale& scale) {
  return {scale.values == 0 ? Scaling{} : Scaling::by(scale.values),
          scale.difference == 0 ? Scaling{} : Scaling::by(scale.difference)};
}

WorstRow worst_row(const PairView& pair, const PairScaling& scaling, std::int64_t length, const PairSums& sums,
                   PairPasses& passes) {
  const std::int64_t rows = pair.elements / length;
  const Largest worst = passes.rows(pair, scaling, {length, rows, 0.01 * sums.a / static_cast<double>(rows)});
  return {worst.value, known(worst.index)};
}

}  // namespace

Comparison compare_by_passes(const TensorView& a, const TensorView& b, const CompareOptions& options,
                             PairPasses& passes) {
  const TensorPair tensors = checked_pair(a, b);
  const PairView pair = view_of(tensors, options);
  if (pair.elements == 0) return {};
  std::uint64_t histogram[ulp_buckets] = {};
  PairPart part = passes.elements(pair, {}, histogram);
  Comparison result = comparison_of(pair, part);
  if (options.metrics == Metrics::all) {
    std::ranges::copy(histogram, result.ulp_histogram.begin());
    result.max_rel = part.rel.value, result.max_rel_index = known(part.rel.index);
    result.max_ulp = part.max_ulp;
  }
  if (pair.opaque) {
    set_opaque_norm(result);
    return result;
  }
  const SumScale scale = scale_for(tensors, pair_sums(part.sums), part.largest_value, result.max_abs);
  const PairScaling scaling = scaling_by(scale);
  if (scale.values != 0 || scale.difference != 0) part.sums = passes.elements(pair, scaling, histogram).sums;
  Sums sums{pair_sums(part.sums), {}, scale};
  const std::int64_t length = row_elements(a);
  if (length > 0 && result.max_abs > 0) sums.worst = worst_row(pair, scaling, length, sums.total, passes);
  set_norms(sums, result);
  return result;
}

}  // namespace goldentrace
