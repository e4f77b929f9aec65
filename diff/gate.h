// What counts as the same, for one pair of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/compare.h"
#include "traces/dtype.h"

namespace goldentrace {

enum class GateKind {
  bitwise,   // the same bits (mixed floating dtypes: after exact widening)
  allclose,  // |a-b| <= atol + rtol |a| for every element, a the golden
  rel,       // relative Frobenius error against a, and its worst row at 1.5 times the limit
};
enum class NanPolicy { same, differ };    // whether a NaN on both sides agrees
enum class DTypePolicy { note, differ };  // whether another dtype of the same class fails (--strict)

// Boolean and integer tensors must be equal as numbers and float8 ones bit for bit, whatever the kind. An infinity
// agrees with the same infinity only. Members left empty take the default of the dtype (see limits()).
struct Gate {
  GateKind kind = GateKind::rel;
  std::optional<double> rtol;  // allclose
  std::optional<double> atol;  // allclose
  std::optional<double> rel;   // rel
  // bitwise, allclose: so many percent of the elements must satisfy it; empty: all. A NaN or infinity that the other
  // side does not have fails all the same, and so does a type that must be exact.
  std::optional<double> percentile;
  NanPolicy nan = NanPolicy::same;
  DTypePolicy dtypes = DTypePolicy::note;

  bool operator==(const Gate&) const = default;
};

inline constexpr double worst_row_factor = 1.5;

// rtol and atol: the table of torch.testing.assert_close. rel: float64 1e-12, float32 1e-5, float16 5e-3,
// bfloat16 3e-2, complex as its parts; 0 for everything else. Mixed dtypes: the larger of each.
struct Limits {
  double rtol = 0;
  double atol = 0;
  double rel = 0;
};
Limits limits(const Gate& gate, DType a, DType b);

// What a pair was found to be, in the order in which it is looked at.
enum class Finding {
  bit_equal,   // the same bits and, but for a noted dtype, the same type
  within,      // differs, within the gate
  shape,       // other shape: nothing else was compared
  dtype,       // other class of dtype, or any other dtype with DTypePolicy::differ
  nonfinite,   // NaN or infinity where the other side has another value, or NaN that NanPolicy::differ refuses
  values,      // finite values out of the gate
  undecidable  // needs the payload, which a trace does not hold; `text` says why
};
std::string_view name(Finding finding);

struct Judgement {
  Finding finding = Finding::bit_equal;
  // Metrics of the pair; all at their defaults for shape, dtype and undecidable, and for pairs known equal by hash.
  Comparison comparison;
  // The metrics were taken element by element. Not for pairs known equal by hash, nor for estimates.
  bool measured = false;
  // From sketches: comparison has rel_frobenius, norm_a and the counts of NaN and infinity only.
  bool estimated = false;
  // Part of the gate that was used: 1 is the limit; infinity when the limit is 0 and something differs.
  double used = 0;
  // The element that shows the difference best, as a flat index, and both values there; -1 when there is none.
  std::int64_t place = -1;
  double a = 0, b = 0;
  // One line: what is out of the gate, or how much of it was used. Left out of the second kind with Metrics::of_gates.
  std::string text;

  bool passes() const { return finding == Finding::bit_equal || finding == Finding::within; }
};

// a is the golden and the reference. Shapes and dtypes may differ. Differences are values, never exceptions;
// std::logic_error only for views whose byte size is wrong. Any thread; bounded memory except for mixed integer or
// mixed complex dtypes, which are widened in memory.
Judgement judge(const TensorView& a, const TensorView& b, const Gate& gate, Metrics metrics = Metrics::all);

// "rel 1e-05", "allclose rtol 1.3e-06 atol 1e-05", "bitwise": the gate as it applies to a pair of dtypes.
std::string describe(const Gate& gate, DType a, DType b);
// "rel", "allclose (rtol 0.001)", "bitwise": the gate as it was asked for.
std::string describe(const Gate& gate);

GateKind parse_gate_kind(std::string_view text);    // Error(usage) with the words that are known
NanPolicy parse_nan_policy(std::string_view text);  // "same", "differ"

}  // namespace goldentrace
