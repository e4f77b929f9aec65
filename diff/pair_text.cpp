#include "diff/pair_text.h"

#include <algorithm>
#include <cmath>

#include "diff/number.h"
#include "diff/value_patterns.h"

namespace goldentrace {

namespace {

std::string both(const std::string& a, const std::string& b) { return a == b ? a : a + " | " + b; }

std::string relative_text(const Comparison& found) {
  if (found.norm_a == 0) return "relative error undefined (reference is zero)";
  return "relative error " + show(found.rel_frobenius);
}

std::string ulp_count(double ulps) { return show(ulps < 10 ? ulps : std::round(ulps), ulps < 10 ? 2 : 9); }

std::string ulp_text(const PairReport& pair) {
  const Comparison& found = pair.judgement.comparison;
  const double unit = unit_in_last_place(pair.dtype_a, found.norm_a, found.elements);
  if (unit == 0 || found.max_abs == 0) return "";
  return " = about " + ulp_count(found.max_abs / unit) + " ulp at the tensor's scale";
}

std::string nonfinite_text(const Comparison& found) {
  if (found.nan_a + found.nan_b + found.inf_a + found.inf_b == 0) return "";
  return "NaN " + std::to_string(found.nan_a) + " | " + std::to_string(found.nan_b) + ", Inf " +
         std::to_string(found.inf_a) + " | " + std::to_string(found.inf_b);
}

std::string differing_text(const Comparison& found) {
  return std::to_string(found.elements - found.bit_equal) + " of " + std::to_string(found.elements) + " differ";
}

std::string near_zero_text(const PairReport& pair) {
  const Comparison& found = pair.judgement.comparison;
  const double unit = unit_in_last_place(pair.dtype_a, found.norm_a, found.elements);
  if (unit == 0 || found.max_ulp == 0) return "";
  const bool near_zero = static_cast<double>(found.max_ulp) > 16 * std::max(1.0, found.max_abs / unit);
  return ", at most " + std::to_string(found.max_ulp) + " ulp apart" + (near_zero ? " (near zero)" : "");
}

}  // namespace

std::string types_text(const PairReport& pair) {
  return both(show_list(pair.shape_a), show_list(pair.shape_b)) + " " +
         both(std::string(name(pair.dtype_a)), std::string(name(pair.dtype_b)));
}

std::string use_text(const Judgement& judgement) {
  if (!std::isfinite(judgement.used) || judgement.finding == Finding::bit_equal) return "";
  if (judgement.used <= 1) return ": " + show(100 * judgement.used) + " % used";
  return ": " + show(judgement.used, 4) + " times the limit";
}

std::vector<std::string> metric_lines(const PairReport& pair) {
  const Judgement& judgement = pair.judgement;
  const Comparison& found = judgement.comparison;
  std::vector<std::string> lines;
  if (judgement.place >= 0) {
    lines.push_back("at " + show_list(coordinates(judgement.place, pair.shape_a)) + ": " + show(judgement.a, 9) +
                    " | " + show(judgement.b, 9));
  }
  if (!judgement.measured) return lines;
  const std::string pairs = found.nonfinite_mismatch > 0 ? " of finite pairs" : "";
  lines.push_back(differing_text(found) + "; max abs" + pairs + " " + show(found.max_abs) + ulp_text(pair) +
                  "; max rel " + show(found.max_rel) + " (of the larger magnitude)");
  std::string norms = relative_text(found);
  if (found.worst_row >= 0) norms += ", worst row " + std::to_string(found.worst_row) + " " + show(found.worst_row_rel);
  lines.push_back(norms + near_zero_text(pair) + ", cosine " + show(found.cosine, 9));
  if (const std::string counts = nonfinite_text(found); !counts.empty()) lines.push_back(counts);
  return lines;
}

std::string summary(const PairReport& pair) {
  const Comparison& found = pair.judgement.comparison;
  if (!pair.judgement.measured) return pair.judgement.text;
  std::string text = differing_text(found) + "; max abs " + show(found.max_abs) + ulp_text(pair);
  if (found.norm_a > 0) text += "; " + relative_text(found);
  text += near_zero_text(pair);
  if (const std::string counts = nonfinite_text(found); !counts.empty()) text += "; " + counts;
  return text + "; " + pair.gate + use_text(pair.judgement);
}

}  // namespace goldentrace
