#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "diff/gate.h"
#include "diff/gate_use.h"
#include "diff/number.h"
#include "diff/widen.h"

namespace goldentrace {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Judgement refuse(Finding finding, std::string text) {
  Judgement judgement;
  judgement.finding = finding;
  judgement.used = infinity;
  judgement.text = std::move(text);
  return judgement;
}

std::string differing(const Comparison& comparison) {
  return std::to_string(comparison.elements - comparison.bit_equal) + " of " + std::to_string(comparison.elements) +
         " elements differ";
}

bool same_bits(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype && a.bytes.size() == b.bytes.size() &&
         (a.bytes.empty() || std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0);
}

bool is_exact(DType dtype) {
  const DTypeClass kind = dtype_class(dtype);
  return kind != DTypeClass::floating && kind != DTypeClass::complex;
}

void show_place(Judgement& judgement, const TensorView& a, const TensorView& b, std::int64_t place) {
  judgement.place = place;
  if (place < 0) return;
  judgement.a = element_as_double(a, place);
  judgement.b = element_as_double(b, place);
}

// What the three gates decide by, for one pair of equal shape and comparable dtype.
struct Case {
  const TensorView& a;
  const TensorView& b;
  const Gate& gate;
  Limits limit;
  Metrics metrics;
};

void fail(Judgement& judgement, std::string text) {
  judgement.finding = Finding::values;
  judgement.text = std::move(text);
}

// How many elements may be out of the gate.
std::int64_t spared(const Gate& gate, const Comparison& found) {
  if (!gate.percentile) return 0;
  const double share = (100 - *gate.percentile) / 100;
  // 100 - 99.999 is not exact; a millionth of an element is none.
  return static_cast<std::int64_t>(std::floor(share * static_cast<double>(found.elements) + 1e-6));
}

double part_of_spared(std::int64_t out, std::int64_t spare) {
  if (out == 0) return 0;
  return spare == 0 ? infinity : static_cast<double>(out) / static_cast<double>(spare);
}

void judge_bits(Judgement& judgement, const Case& pair) {
  const Comparison& found = judgement.comparison;
  judgement.used = part_of_spared(found.elements - found.bit_equal, spared(pair.gate, found));
  if (judgement.used <= 1) return;
  const bool zeros = found.zero_sign == found.elements - found.bit_equal;
  fail(judgement, differing(found) + (zeros ? " in the sign of zero only" : " in their bits"));
}

void judge_exact(Judgement& judgement) {
  if (judgement.comparison.value_equal == judgement.comparison.elements) return;
  judgement.used = infinity;
  fail(judgement, differing(judgement.comparison) + "; values of this type must be equal");
}

void judge_elements(Judgement& judgement, const Case& pair) {
  const Comparison& found = judgement.comparison;
  if (pair.gate.percentile) {
    judgement.used = part_of_spared(found.outside, spared(pair.gate, found));
    if (judgement.used <= 1) return;
  } else {
    judgement.used = elementwise_use(pair.a, pair.b, pair.limit);
  }
  if (found.outside == 0) return;
  fail(judgement, std::to_string(found.outside) + " of " + std::to_string(found.elements) +
                      " elements out of the gate, the first at " +
                      show_list(coordinates(found.first_outside, pair.a.shape)));
}

std::string against(double measured, double limit) { return show(measured) + " against the limit " + show(limit); }

void judge_norms(Judgement& judgement, const Case& pair) {
  const Comparison& found = judgement.comparison;
  if (found.value_equal == found.elements) return;
  if (found.norm_a == 0) {
    judgement.used = infinity;
    return fail(judgement, differing(found) + "; every finite value of the reference is 0");
  }
  const double row_limit = worst_row_factor * pair.limit.rel;
  const double whole = part_of(found.rel_frobenius, pair.limit.rel);
  const double row = found.worst_row < 0 ? 0 : part_of(found.worst_row_rel, row_limit);
  judgement.used = std::max(whole, row);
  if (!(whole <= 1)) return fail(judgement, "relative error " + against(found.rel_frobenius, pair.limit.rel));
  if (row <= 1) return;
  const auto rows = pair.a.shape.first(pair.a.shape.size() - 1);
  fail(judgement, "row " + show_list(coordinates(found.worst_row, rows)) + " has relative error " +
                      against(found.worst_row_rel, row_limit));
}

bool judge_nonfinite(Judgement& judgement, const Case& pair) {
  const Comparison& found = judgement.comparison;
  const bool refused = pair.gate.nan == NanPolicy::differ && found.nan_a + found.nan_b > 0;
  if (found.nonfinite_mismatch == 0 && !refused) return false;
  std::int64_t place = found.first_nonfinite;
  if (place < 0) place = std::max(found.first_nan_a, found.first_nan_b);
  show_place(judgement, pair.a, pair.b, place);
  judgement.finding = Finding::nonfinite;
  judgement.used = infinity;
  judgement.text = "NaN " + std::to_string(found.nan_a) + " | " + std::to_string(found.nan_b) + ", Inf " +
                   std::to_string(found.inf_a) + " | " + std::to_string(found.inf_b) + ", the first at " +
                   show_list(coordinates(place, pair.a.shape));
  return true;
}

void judge_values(Judgement& judgement, const Case& pair) {
  judgement.finding = Finding::within;
  show_place(judgement, pair.a, pair.b, judgement.comparison.max_abs_index);
  if (judge_nonfinite(judgement, pair)) return;
  if (judgement.comparison.bit_equal == judgement.comparison.elements) {
    judgement.finding = Finding::bit_equal;
  } else if (pair.gate.kind == GateKind::bitwise) {
    judge_bits(judgement, pair);
  } else if (is_exact(pair.a.dtype)) {
    judge_exact(judgement);
  } else if (pair.gate.kind == GateKind::allclose) {
    judge_elements(judgement, pair);
  } else {
    judge_norms(judgement, pair);
  }
  if (judgement.finding == Finding::within && pair.metrics == Metrics::all) {
    judgement.text = differing(judgement.comparison) + ", " + show(100 * judgement.used) + " % of the gate used";
  }
}

Judgement measure(const Case& pair) {
  Judgement judgement;
  CompareOptions options;
  options.nan_same = pair.gate.nan == NanPolicy::same;
  options.metrics = pair.metrics;
  options.rtol = pair.limit.rtol;
  options.atol = pair.limit.atol;
  judgement.comparison = compare(pair.a, pair.b, options);
  judgement.measured = true;
  judge_values(judgement, pair);
  return judgement;
}

Judgement judge_widened(const TensorView& a, const TensorView& b, const Gate& gate, Metrics metrics) {
  Widened wide_a;
  Widened wide_b;
  if (!widen(a, wide_a) || !widen(b, wide_b)) {
    return refuse(Finding::dtype, std::string(name(a.dtype)) + " | " + std::string(name(b.dtype)) +
                                      " have values without a common type");
  }
  const TensorView view_a{wide_a.dtype, a.shape, wide_a.bytes};
  const TensorView view_b{wide_b.dtype, b.shape, wide_b.bytes};
  return measure({view_a, view_b, gate, limits(gate, a.dtype, b.dtype), metrics});
}

Judgement known_equal(const TensorView& tensor) {
  Judgement judgement;
  Comparison& found = judgement.comparison;
  found.elements = found.bit_equal = found.value_equal =
      static_cast<std::int64_t>(tensor.bytes.size() / std::max<std::size_t>(1, item_size(tensor.dtype)));
  return judgement;
}

}  // namespace

Judgement judge(const TensorView& a, const TensorView& b, const Gate& gate, Metrics metrics) {
  if (!std::ranges::equal(a.shape, b.shape)) {
    return refuse(Finding::shape, "shape " + show_list(a.shape) + " | " + show_list(b.shape));
  }
  if (!comparable(a.dtype, b.dtype) || (gate.dtypes == DTypePolicy::differ && a.dtype != b.dtype)) {
    return refuse(Finding::dtype, "dtype " + std::string(name(a.dtype)) + " | " + std::string(name(b.dtype)));
  }
  if (a.dtype == DType::none || (gate.nan == NanPolicy::same && same_bits(a, b))) return known_equal(a);
  const bool mixed = a.dtype != b.dtype && dtype_class(a.dtype) != DTypeClass::floating;
  if (mixed) return judge_widened(a, b, gate, metrics);
  return measure({a, b, gate, limits(gate, a.dtype, b.dtype), metrics});
}

}  // namespace goldentrace
