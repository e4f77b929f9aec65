#include "diff/hints.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "diff/number.h"
#include "diff/value_patterns.h"

namespace goldentrace {

namespace {

using Hints = std::vector<Diagnosis>;

Diagnosis hint(std::string kind, std::string text, std::optional<double> value = std::nullopt) {
  return {std::move(kind), std::move(text), false, value};
}

std::string as_fraction(double ratio) {
  for (int denominator = 2; denominator <= 64; ++denominator) {
    const double numerator = std::round(ratio * denominator);
    if (numerator == 0 || std::abs(numerator) > 64) continue;
    if (std::abs(ratio * denominator - numerator) < 1e-6 * std::abs(numerator)) {
      return " = " + show(numerator, 6) + "/" + std::to_string(denominator);
    }
  }
  return "";
}

Diagnosis ratio_hint(double ratio) {
  const bool whole = std::abs(ratio - std::round(ratio)) < 1e-6 * std::abs(ratio);
  const double shown = whole ? std::round(ratio) : ratio;
  const std::string number = show(shown, 6) + (whole ? ".0" : as_fraction(ratio));
  return hint("ratio", "ratio " + number + ": B is A times a constant", shown);
}

bool is_remarkable(double ratio) {
  return std::abs(ratio - std::round(ratio)) < 1e-6 * std::abs(ratio) || !as_fraction(ratio).empty();
}

void add_scale(const TensorView& a, const TensorView& b, const Comparison& found, Hints& result) {
  if (found.norm_a == 0) return;
  if (std::abs(found.ratio - 1) <= 4 * rounding_unit(a.dtype)) return;  // a difference of rounding, no scale
  if (found.norm_b == 0) return result.push_back(hint("zero", "B is all zeros", 0));
  // One number is always a multiple of another.
  if (found.elements < 2 && !is_remarkable(found.ratio)) return;
  if (scale_residual(a, b, found.ratio) <= 4 * rounding_unit(a.dtype) * found.norm_b) {
    result.push_back(ratio_hint(found.ratio));
  }
}

void add_offset(const TensorView& a, const TensorView& b, Hints& result) {
  const std::optional<double> offset = constant_offset(a, b);
  if (offset) result.push_back(hint("offset", "offset " + show(*offset, 6) + ": B is A plus a constant", *offset));
}

// Weights that a converter left at their initial values.
void add_constant(const TensorView& a, const TensorView& b, Hints& result) {
  const std::optional<double> of_b = repeated_number(b);
  if (!of_b || *of_b == 0 || repeated_number(a)) return;
  result.push_back(hint("constant", "every element of B is " + show(*of_b, 6), *of_b));
}

void add_places(const TensorView& a, const TensorView& b, Hints& result) {
  if (only_last_position_agrees(a, b)) {
    result.push_back(hint("mask", "mask: only non-final positions differ"));
  } else if (const std::optional<DifferingEnds> ends = only_ends_differ(a, b)) {
    const std::string positions =
        ends->first == ends->last ? "position " + std::to_string(ends->first)
                                  : "positions " + std::to_string(ends->first) + " to " + std::to_string(ends->last);
    result.push_back(hint("padding", "only " + positions + " of sample " + std::to_string(ends->sample) + ": padding"));
  }
  // Where all of B is zero there is another hint for it.
  const bool all = std::ranges::find(result, "zero", &Diagnosis::kind) != result.end();
  const std::int64_t rows = all ? 0 : rows_zeroed(a, b);
  if (rows > 0) result.push_back(hint("zero-row", counted(rows, "row") + " of B zero where A is not"));
}

void add_rounding(const TensorView& a, const TensorView& b, const Comparison& found, Hints& result) {
  if (is_rounded_to_bfloat16(a, b)) {
    return result.push_back(hint("rounded", "B holds A's values rounded to bfloat16"));
  }
  const double unit = unit_in_last_place(a.dtype, found.norm_a, found.elements);
  if (unit == 0 || found.max_abs == 0 || found.max_abs > 8 * unit) return;
  const double units = found.max_abs / unit;
  result.push_back(hint("rounding", "rounding order: at most " + show(units, 2) + " ulp at the tensor's scale", units));
}

}  // namespace

Hints hints(const TensorView& a, const TensorView& b, const Judgement& judgement) {
  Hints result;
  const Comparison& found = judgement.comparison;
  const std::int64_t differing = found.elements - found.bit_equal;
  if (!judgement.measured || differing == 0) return result;
  if (found.zero_sign == differing) {
    result.push_back(hint("sign-of-zero", "sign of zero: every differing element is a signed zero"));
    return result;
  }
  if (found.nonfinite_mismatch > 0) {
    result.push_back(hint("non-finite", "non-finite values on one side: overflow or uninitialised memory"));
    return result;
  }
  add_scale(a, b, found, result);
  add_offset(a, b, result);
  add_constant(a, b, result);
  if (is_permutation(a, b)) result.push_back(hint("permutation", "same values in another order"));
  add_places(a, b, result);
  add_rounding(a, b, found, result);
  return result;
}

Hints hints_from_sketches(const Sketch& a, const Sketch& b) {
  double dot = 0;
  double square_a = 0;
  double square_b = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    dot += a[i] * b[i];
    square_a += a[i] * a[i];
    square_b += b[i] * b[i];
  }
  if (a.size() != b.size() || square_a == 0 || square_b == 0) return {};
  const double ratio = dot / square_a;
  double residual = 0;
  for (std::size_t i = 0; i < a.size(); ++i) residual += (b[i] - ratio * a[i]) * (b[i] - ratio * a[i]);
  if (residual > 1e-12 * square_b || std::abs(ratio - 1) < 1e-6) return {};
  return {ratio_hint(ratio)};
}

}  // namespace goldentrace
