// The work of one block of threads on a part of two tensors: what CUDA kernels do between their barriers, and what the
// walk on the host does thread by thread. Elements: visit | fold; then one block folds the parts: gather | fold. Rows
// likewise, in a second run in which the norm that rows must have is known. "|" is a barrier.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/fingerprint_order.h"
#include "kernels/host_device.h"
#include "kernels/pair_element.h"

namespace goldentrace {

inline constexpr std::size_t pair_threads = 64;
inline constexpr std::int64_t pair_tile = 8192;  // elements of a block
inline constexpr std::size_t pair_histogram = 34;
inline constexpr std::int64_t no_index = INT64_MAX;

GOLDENTRACE_INLINE void lower(std::int64_t& kept, std::int64_t index) { kept = index < kept ? index : kept; }

struct SquareSums {
  double a = 0, b = 0, difference = 0, dot = 0;
};

struct PairScaling {
  Scaling values, difference;
};

// The largest figure and the lowest index that has it.
struct Largest {
  double value = 0;
  std::int64_t index = no_index;

  // True: the other one is taken.
  GOLDENTRACE_INLINE bool add(double other, std::int64_t at) {
    if (!(other > value || (other == value && value > 0 && at < index))) return false;
    value = other;
    index = at;
    return true;
  }
  GOLDENTRACE_INLINE bool add(const Largest& other) { return add(other.value, other.index); }
};

// Everything about some elements of a pair but the histogram. Parts add up; only the sums depend on the order.
struct PairPart {
  std::int64_t bit_equal = 0, value_equal = 0, zero_sign = 0, mismatched = 0, outside = 0;
  std::int64_t nan_a = 0, nan_b = 0, inf_a = 0, inf_b = 0;
  std::int64_t first_nan_a = no_index, first_nan_b = no_index, first_inf_a = no_index, first_inf_b = no_index;
  std::int64_t first_mismatched = no_index, first_outside = no_index;
  Largest abs, rel;
  double a_at_max = 0, b_at_max = 0;  // values where abs is
  double largest_value = 0;
  std::uint64_t max_ulp = 0;
  SquareSums sums;
};

GOLDENTRACE_HD void add(SquareSums& total, const SquareSums& part) {
  total.a += part.a;
  total.b += part.b;
  total.difference += part.difference;
  total.dot += part.dot;
}

GOLDENTRACE_HD void add(PairPart& total, const PairPart& part) {
  total.bit_equal += part.bit_equal, total.value_equal += part.value_equal, total.zero_sign += part.zero_sign;
  total.mismatched += part.mismatched, total.outside += part.outside;
  total.nan_a += part.nan_a, total.nan_b += part.nan_b, total.inf_a += part.inf_a, total.inf_b += part.inf_b;
  lower(total.first_nan_a, part.first_nan_a), lower(total.first_nan_b, part.first_nan_b);
  lower(total.first_inf_a, part.first_inf_a), lower(total.first_inf_b, part.first_inf_b);
  lower(total.first_mismatched, part.first_mismatched), lower(total.first_outside, part.first_outside);
  if (total.abs.add(part.abs)) total.a_at_max = part.a_at_max, total.b_at_max = part.b_at_max;
  total.rel.add(part.rel);
  total.largest_value = part.largest_value > total.largest_value ? part.largest_value : total.largest_value;
  total.max_ulp = part.max_ulp > total.max_ulp ? part.max_ulp : total.max_ulp;
  add(total.sums, part.sums);
}

GOLDENTRACE_HD std::size_t bucket_of_ulp(std::uint64_t distance) {
  std::size_t width = 0;
  for (; distance != 0 && width < pair_histogram - 1; distance >>= 1) ++width;
  return width;
}

GOLDENTRACE_INLINE void count_in(unsigned long long* histogram, std::size_t bucket) {
#if defined(__CUDA_ARCH__)
  atomicAdd(histogram + bucket, 1ull);
#else
  ++histogram[bucket];
#endif
}

GOLDENTRACE_HD void note_kind(PairKind kind, std::int64_t index, std::int64_t& nan, std::int64_t& first_nan,
                              std::int64_t& infinite, std::int64_t& first_infinite) {
  if (kind == PairKind::nan) ++nan, lower(first_nan, index);
  if (kind == PairKind::infinite) ++infinite, lower(first_infinite, index);
}

GOLDENTRACE_HD void add_nonfinite(const PairElement& element, std::int64_t index, PairPart& part) {
  note_kind(element.kind_a, index, part.nan_a, part.first_nan_a, part.inf_a, part.first_inf_a);
  note_kind(element.kind_b, index, part.nan_b, part.first_nan_b, part.inf_b, part.first_inf_b);
  part.bit_equal += element.same_bits;
  part.value_equal += element.agree;
  if (element.agree) return;
  ++part.mismatched, ++part.outside;
  lower(part.first_mismatched, index);
  lower(part.first_outside, index);
}

GOLDENTRACE_HD void add_sums(const PairView& pair, const PairElement& element, const PairScaling& scaling,
                             SquareSums& sums) {
  for (std::size_t i = 0; i < pair.components; ++i) {
    const double x = scaling.values(element.a[i]), y = scaling.values(element.b[i]);
    const double z = scaling.difference(element.difference[i]);
    add(sums, {x * x, y * y, z * z, x * y});
  }
}

GOLDENTRACE_HD void add_finite(const PairView& pair, const PairElement& element, std::int64_t index, PairPart& part) {
  const double size = element.size_a > element.size_b ? element.size_a : element.size_b;
  part.bit_equal += element.same_bits;
  part.value_equal += element.agree;
  part.zero_sign += pair.floating && element.agree && !element.same_bits;
  if (part.abs.add(element.size_difference, index)) part.a_at_max = element.a[0], part.b_at_max = element.b[0];
  part.rel.add(element.size_difference / (size > 0 ? size : 1), index);
  for (std::size_t i = 0; i < pair.components; ++i) {
    const double x = fabs(element.a[i]), y = fabs(element.b[i]), largest = x > y ? x : y;
    part.largest_value = largest > part.largest_value ? largest : part.largest_value;
  }
  part.max_ulp = element.ulp > part.max_ulp ? element.ulp : part.max_ulp;
  if (element.size_difference <= pair.atol + pair.rtol * element.size_a) return;
  ++part.outside;
  lower(part.first_outside, index);
}

GOLDENTRACE_HD void add_opaque(const PairView& pair, std::int64_t index, PairPart& part) {
  if (pair.a[index] == pair.b[index]) {
    ++part.bit_equal, ++part.value_equal;
  } else {
    ++part.outside;
    lower(part.first_outside, index);
  }
}

struct PairMemory {
  PairPart parts[pair_threads];
  unsigned long long histogram[pair_histogram];
};

// One thread's share of the elements of block `block`.
GOLDENTRACE_HD void visit_tile(const PairView& pair, const PairScaling& scaling, std::int64_t block, std::size_t thread,
                               PairMemory& memory) {
  PairPart part;
  const std::int64_t end = (block + 1) * pair_tile < pair.elements ? (block + 1) * pair_tile : pair.elements;
  for (std::int64_t index = block * pair_tile + static_cast<std::int64_t>(thread); index < end;
       index += static_cast<std::int64_t>(pair_threads)) {
    if (pair.opaque) {
      add_opaque(pair, index, part);
      continue;
    }
    const PairElement element = read_pair_element(pair, index);
    if (element.finite()) {
      add_finite(pair, element, index, part);
      add_sums(pair, element, scaling, part.sums);
    } else {
      add_nonfinite(element, index, part);
    }
    if (pair.floating) {
      const std::size_t last = element.agree ? 0 : pair_histogram - 1;
      count_in(memory.histogram, element.finite() ? bucket_of_ulp(element.ulp) : last);
    }
  }
  memory.parts[thread] = part;
}

// One thread's share of the parts of all blocks.
GOLDENTRACE_HD void gather_tiles(const PairPart* parts, std::size_t count, std::size_t thread, PairMemory& memory) {
  PairPart part;
  for (std::size_t i = thread; i < count; i += pair_threads) add(part, parts[i]);
  memory.parts[thread] = part;
}

GOLDENTRACE_HD PairPart folded(const PairMemory& memory) {
  PairPart total;
  for (std::size_t i = 0; i < pair_threads; ++i) add(total, memory.parts[i]);
  return total;
}

// --- rows ---

struct RowJob {
  std::int64_t row_elements, rows;
  double least_square;  // rows with a smaller sum of a² do not count
};

inline constexpr std::size_t most_row_blocks = 1024;

struct RowMemory {
  SquareSums sums[pair_threads];
  Largest largest[pair_threads];
};

// One thread's share of a row.
GOLDENTRACE_HD SquareSums row_share(const PairView& pair, const PairScaling& scaling, const RowJob& job,
                                    std::int64_t row, std::int64_t first, std::int64_t stride) {
  SquareSums sums;
  for (std::int64_t i = first; i < job.row_elements; i += stride) {
    const PairElement element = read_pair_element(pair, row * job.row_elements + i);
    if (element.finite()) add_sums(pair, element, scaling, sums);
  }
  return sums;
}

GOLDENTRACE_HD void judge_row(const SquareSums& sums, const RowJob& job, std::int64_t row, Largest& worst) {
  if (sums.a < job.least_square || sums.a == 0) return;
  worst.add(sqrt(sums.difference) / sqrt(sums.a), row);
}

// Long rows are shared by the threads of a block, short ones taken by one thread each.
GOLDENTRACE_INLINE bool shares_rows(const RowJob& job) { return job.row_elements >= 256; }

GOLDENTRACE_HD SquareSums folded_row(const RowMemory& memory) {
  SquareSums total;
  for (std::size_t i = 0; i < pair_threads; ++i) add(total, memory.sums[i]);
  return total;
}

GOLDENTRACE_HD Largest folded_rows(const RowMemory& memory) {
  Largest worst;
  for (std::size_t i = 0; i < pair_threads; ++i) worst.add(memory.largest[i]);
  return worst;
}

}  // namespace goldentrace
