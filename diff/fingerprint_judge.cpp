#include "diff/fingerprint_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "diff/gate_use.h"
#include "diff/number.h"
#include "diff/whole_sketch.h"
#include "diff/widen.h"
#include "kernels/sketch.h"

namespace goldentrace {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Judgement found(Finding finding, std::string text) {
  Judgement judgement;
  judgement.finding = finding;
  judgement.used = finding == Finding::bit_equal ? 0 : infinity;
  judgement.text = std::move(text);
  return judgement;
}

bool is_float_like(DType dtype) {
  const DTypeClass kind = dtype_class(dtype);
  return kind == DTypeClass::floating || kind == DTypeClass::complex;
}

Comparison counts(const Record& a, const Record& b) {
  Comparison comparison;
  comparison.elements = element_count(a.shape);
  comparison.nan_a = static_cast<std::int64_t>(a.fingerprint.statistics.nan_count);
  comparison.nan_b = static_cast<std::int64_t>(b.fingerprint.statistics.nan_count);
  comparison.inf_a = static_cast<std::int64_t>(a.fingerprint.statistics.inf_count);
  comparison.inf_b = static_cast<std::int64_t>(b.fingerprint.statistics.inf_count);
  comparison.norm_a = a.fingerprint.statistics.l2;
  comparison.norm_b = b.fingerprint.statistics.l2;
  return comparison;
}

bool nonfinite_counts_differ(const Record& a, const Record& b, const Gate& gate) {
  const Statistics& of_a = a.fingerprint.statistics;
  const Statistics& of_b = b.fingerprint.statistics;
  const bool refused = gate.nan == NanPolicy::differ && of_a.nan_count + of_b.nan_count > 0;
  return refused || of_a.nan_count != of_b.nan_count || of_a.inf_count != of_b.inf_count;
}

Judgement nonfinite(const Record& a, const Record& b) {
  const Comparison comparison = counts(a, b);
  Judgement judgement =
      found(Finding::nonfinite, "NaN " + std::to_string(comparison.nan_a) + " | " + std::to_string(comparison.nan_b) +
                                    ", Inf " + std::to_string(comparison.inf_a) + " | " +
                                    std::to_string(comparison.inf_b) + " (no payload to say where)");
  judgement.comparison = comparison;
  return judgement;
}

Judgement judge_whole(const Record& a, const Sketch& sketch_a, const Record& b, const Sketch& sketch_b,
                      const Gate& gate) {
  const std::vector<std::byte> bytes_a = restore(a, sketch_a);
  const std::vector<std::byte> bytes_b = restore(b, sketch_b);
  Judgement judgement = judge({a.dtype, a.shape, bytes_a}, {b.dtype, b.shape, bytes_b}, gate);
  if (judgement.finding == Finding::bit_equal && a.dtype == b.dtype) {
    judgement.finding = Finding::within;
    judgement.text = "other bits, equal values";
  }
  return judgement;
}

Judgement by_hash(const Record& a, const Record& b, std::string text) {
  Judgement judgement = found(Finding::values, std::move(text));
  judgement.comparison = counts(a, b);
  return judgement;
}

Judgement judge_estimate(const Record& a, const Sketch& sketch_a, const Record& b, const Sketch& sketch_b,
                         const Gate& gate) {
  Judgement judgement = by_hash(a, b, "");
  judgement.estimated = true;
  Comparison& comparison = judgement.comparison;
  if (comparison.norm_a == 0) {
    judgement.text = "every finite value of the reference is 0";
    return judgement;
  }
  comparison.rel_frobenius = sketch_distance(sketch_a, sketch_b) / comparison.norm_a;
  const double safety = 1 + 4 / std::sqrt(2.0 * static_cast<double>(sketch_a.size()));
  const double limit = limits(gate, a.dtype, b.dtype).rel;
  judgement.used = part_of(safety * comparison.rel_frobenius, limit);
  if (gate.kind == GateKind::rel && judgement.used <= 1) judgement.finding = Finding::within;
  judgement.text = "estimated relative error " + show(comparison.rel_frobenius) + " against the limit " + show(limit) +
                   ", from sketches";
  return judgement;
}

Judgement judge_bits(const Record& a, const Sketch& sketch_a, const Record& b, const Sketch& sketch_b,
                     const Gate& gate) {
  if (a.dtype != b.dtype) return found(Finding::undecidable, "bits of two dtypes need the payload of both");
  Judgement judgement = by_hash(a, b, "");
  if (!sketch_a.empty() && sketch_a.size() == sketch_b.size() && is_float_like(a.dtype)) {
    judgement = judge_estimate(a, sketch_a, b, sketch_b, gate);
  }
  judgement.used = infinity;
  judgement.text = "hashes differ";
  return judgement;
}

bool asks_equality(const Record& a, const Record& b, const Gate& gate) {
  const Limits limit = limits(gate, a.dtype, b.dtype);
  return gate.kind == GateKind::allclose && limit.rtol == 0 && limit.atol == 0;
}

// Equal values have equal sketches whatever their dtypes; within one dtype the hash is the sharper witness.
Judgement judge_equality(const Record& a, const Sketch& sketch_a, const Record& b, const Sketch& sketch_b) {
  if (a.dtype == b.dtype) return by_hash(a, b, "hashes differ, and the values must be equal");
  if (sketch_a.empty() || sketch_a.size() != sketch_b.size()) {
    return found(Finding::undecidable, "values of two dtypes need the payload of both");
  }
  if (sketch_a != sketch_b) return by_hash(a, b, "sketches differ, and the values must be equal");
  Judgement judgement = found(Finding::within, "equal sketches");
  judgement.used = 0;
  judgement.estimated = true;
  return judgement;
}

}  // namespace

Judgement judge_parts(std::span<const Judgement> parts, const Gate& gate, const RecordedTensor& a,
                      const RecordedTensor& b) {
  Judgement worst = *std::ranges::max_element(parts, {}, &Judgement::used);
  double error = 0;
  double norm = 0;
  for (const Judgement& part : parts) {
    const bool of_values = part.passes() || part.finding == Finding::values;
    if (!of_values) return part;
    const Comparison& found = part.comparison;
    if (!part.passes() && !part.estimated && !part.measured) return part;
    if (part.finding != Finding::bit_equal) error += std::pow(found.rel_frobenius * found.norm_a, 2);
    norm += found.norm_a * found.norm_a;
    worst.estimated = worst.estimated || part.estimated;
  }
  if (gate.kind != GateKind::rel || asks_equality(a.record, b.record, gate) || norm == 0) return worst;
  worst.comparison = {};
  worst.measured = false;
  worst.comparison.norm_a = std::sqrt(norm);
  worst.comparison.rel_frobenius = std::sqrt(error / norm);
  if (error == 0) return worst;
  const double safety = 1 + 4 / std::sqrt(2.0 * static_cast<double>(std::max<std::size_t>(1, a.sketch.size())));
  const double limit = limits(gate, a.record.dtype, b.record.dtype).rel;
  worst.used = part_of((worst.estimated ? safety : 1) * worst.comparison.rel_frobenius, limit);
  worst.finding = worst.used <= 1 ? Finding::within : Finding::values;
  worst.text = "estimated relative error " + show(worst.comparison.rel_frobenius) + " against the limit " +
               show(limit) + ", from the sketches of its parts";
  return worst;
}

Judgement judge_types(const Record& a, const Record& b, const Gate& gate) {
  if (a.shape != b.shape) return found(Finding::shape, "shape " + show_list(a.shape) + " | " + show_list(b.shape));
  const bool refused = gate.dtypes == DTypePolicy::differ && a.dtype != b.dtype;
  if (refused || !comparable(a.dtype, b.dtype)) {
    return found(Finding::dtype, "dtype " + std::string(name(a.dtype)) + " | " + std::string(name(b.dtype)));
  }
  return found(Finding::bit_equal, "");
}

bool judge_hashes(const Record& a, const Record& b, const Gate& gate, Judgement& judgement) {
  const bool no_elements = a.shape == b.shape && element_count(a.shape) == 0;
  const bool same_hash = a.dtype == b.dtype && a.shape == b.shape && a.fingerprint.hash == b.fingerprint.hash;
  if (!no_elements && !same_hash) return false;
  if (gate.nan == NanPolicy::differ && a.fingerprint.statistics.nan_count > 0) return false;
  judgement = found(Finding::bit_equal, "");
  judgement.comparison = counts(a, b);
  judgement.comparison.bit_equal = judgement.comparison.value_equal = judgement.comparison.elements;
  return true;
}

Judgement judge_fingerprints(const Record& a, const Sketch& sketch_a, const Record& b, const Sketch& sketch_b,
                             const Gate& gate) {
  Judgement judgement = judge_types(a, b, gate);
  if (!judgement.passes() || judge_hashes(a, b, gate, judgement)) return judgement;
  if (nonfinite_counts_differ(a, b, gate)) return nonfinite(a, b);
  if (!is_float_like(a.dtype)) {
    if (a.dtype == b.dtype) return by_hash(a, b, "hashes differ, and values of this type must be equal");
    return found(Finding::undecidable, "integers of two dtypes need the payload of both");
  }
  if (is_whole(a, sketch_a) && is_whole(b, sketch_b)) return judge_whole(a, sketch_a, b, sketch_b, gate);
  if (asks_equality(a, b, gate)) return judge_equality(a, sketch_a, b, sketch_b);
  if (gate.percentile && is_float_like(a.dtype)) {
    return found(Finding::undecidable, "a percentile needs the payload of both");
  }
  if (gate.kind == GateKind::bitwise) return judge_bits(a, sketch_a, b, sketch_b, gate);
  if (gate.kind == GateKind::allclose) return found(Finding::undecidable, "gate allclose needs the payload of both");
  if (sketch_a.empty() || sketch_b.empty()) return found(Finding::undecidable, "neither payload nor sketch on a side");
  if (sketch_a.size() != sketch_b.size()) {
    return found(Finding::undecidable, "sketches of " + std::to_string(sketch_a.size()) + " and " +
                                           std::to_string(sketch_b.size()) + " buckets cannot be compared");
  }
  return judge_estimate(a, sketch_a, b, sketch_b, gate);
}

}  // namespace goldentrace
