// All metrics of two tensors in one pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "traces/dtype.h"

namespace goldentrace {

// Contiguous row-major elements that someone else owns; unaligned allowed.
struct TensorView {
  DType dtype = DType::float32;
  std::span<const std::int64_t> shape;
  std::span<const std::byte> bytes;
};

// a is the golden and the reference of every relative figure, except max_rel.
// Complex elements are compared as complex numbers (|a-b|), and are NaN or infinite where a part is (NaN first);
// boolean and integer exactly as numbers (64-bit integers: exact difference, then rounded to double). float8 is
// compared bitwise: only elements, bit_equal, value_equal, outside and first_outside are set, and rel_frobenius is
// infinity when something differs.
// "Finite pairs" are elements where both sides are finite; equal infinities and, with nan_same, pairs of NaN agree.
enum class Metrics {
  all,
  of_gates,  // without max_rel, max_rel_index, max_ulp and ulp_histogram, which stay at their defaults
};

struct CompareOptions {
  bool nan_same = true;
  Metrics metrics = Metrics::all;
  // Elementwise gate |a-b| <= atol + rtol |a|, counted in `outside`.
  double rtol = 0;
  double atol = 0;
};

inline constexpr std::size_t ulp_buckets = 34;

struct Comparison {
  std::int64_t elements = 0;
  std::int64_t bit_equal = 0;           // same bit pattern (mixed dtypes: same bits after exact widening)
  std::int64_t value_equal = 0;         // +0 = -0, agreeing NaN
  std::int64_t zero_sign = 0;           // elements that differ in the sign of zero only
  std::int64_t nonfinite_mismatch = 0;  // NaN or infinity on one side, or different ones on both
  std::int64_t first_nonfinite = -1;    // flat index of the first such element
  std::int64_t nan_a = 0, nan_b = 0, inf_a = 0, inf_b = 0;
  std::int64_t first_nan_a = -1, first_nan_b = -1, first_inf_a = -1, first_inf_b = -1;

  // Over finite pairs. A difference beyond the range of double counts as the largest double.
  double max_abs = 0;
  std::int64_t max_abs_index = -1;  // flat index of the first such element; -1 when nothing differs
  double a_at_max = 0, b_at_max = 0;
  double max_rel = 0;  // |a-b| / max(|a|,|b|), 0/0 = 0
  std::int64_t max_rel_index = -1;

  double norm_a = 0, norm_b = 0;  // Euclidean, over finite pairs
  double norm_difference = 0;
  double rel_frobenius = 0;  // norm_difference / norm_a; infinity when norm_a is 0 and a finite pair differs
  double cosine = 1;         // dot / (norm_a norm_b); 1 when both norms are 0, 0 when one is. Complex: of the parts
  double ratio = 1;          // dot / norm_a²: the scale of b against a; 1 when norm_a is 0

  // Slices along the last axis (rows): tensors of two and more dimensions only. The row with the largest
  // |a-b| / |a| among those whose norm is at least a tenth of the rms row norm of a; -1 when none of them differs.
  double worst_row_rel = 0;
  std::int64_t worst_row = -1;  // number of the row in row-major order of the leading axes

  // Distance on order-preserving integers of the element type (the coarser of mixed dtypes, rounded to nearest even;
  // complex: the larger of both parts); floating and complex types only.
  // histogram[0]: equal; [k]: distance in [2^(k-1), 2^k); the last bucket takes the rest and non-finite mismatches.
  std::array<std::int64_t, ulp_buckets> ulp_histogram{};
  std::uint64_t max_ulp = 0;  // over finite pairs

  std::int64_t outside = 0;  // elements outside the elementwise gate, non-finite mismatches included
  std::int64_t first_outside = -1;

  bool operator==(const Comparison&) const = default;
};

// Shapes must be equal and byte sizes right (else std::logic_error: the caller judges shapes first). dtypes may differ
// within real floating, or be equal. Any thread; at most 10 MB of extra memory, whatever the size. Independent of the
// CPU and of the caller's rounding and flush-to-zero modes. Reads both tensors once; again only where more rows differ
// than fit in that memory, or where squares leave the range of double.
Comparison compare(const TensorView& a, const TensorView& b, const CompareOptions& options = {});

// One element as a double (complex: real part; float8: its bit pattern as a number); for reports.
// std::out_of_range outside the tensor.
double element_as_double(const TensorView& tensor, std::int64_t flat_index);

}  // namespace goldentrace
