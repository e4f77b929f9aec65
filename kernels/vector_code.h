// Inner loops that exist once per instruction set, and the choice among them. Every set gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/element_figures.h"
#include "kernels/fingerprint_order.h"
#include "kernels/partial_statistics.h"
#include "kernels/row_sums.h"
#include "traces/dtype.h"

namespace goldentrace {

// The lanes of a piece of a tensor (kernels/fingerprint_order.h).
struct LaneSums {
  alignas(64) double sum[group_lanes] = {};
  alignas(64) double squares[group_lanes] = {};
  PartialStatistics rest;  // everything but the sums
};

// Whole groups of a piece: `bytes` (unaligned allowed) hold `groups` * group_elements elements of a real dtype, the
// first of which is element `first` of the tensor.
struct GroupSpan {
  const std::byte* bytes;
  DType dtype;
  std::uint64_t first;
  std::size_t groups;
};

enum class Expect { finite, anything };

struct VectorCode {
  // Adds the groups to the lanes and, unless m is 0, to the m sums of a sketch, behind which group_lanes more doubles
  // are scratch. Expect::finite is faster, but where elements are not finite, everything is wrong and a lane of
  // `squares` is not finite.
  void (*add_groups)(const GroupSpan& span, Expect expect, LaneSums& lanes, double* sketch, std::size_t m);

  // Chunks of two tensors (kernels/pair_chunk.h); counts are of elements or, in complex chunks, of components.
  void (*widen)(const std::byte* bytes, DType real_dtype, std::size_t count, double* values);
  bool (*all_finite)(const double* values, std::size_t count);
  void (*subtract)(const double* a, const double* b, std::size_t count, double* difference);  // within +-DBL_MAX
  void (*moduli)(const double* parts, std::size_t count, double* modulus);                    // `count` pairs of parts
  ElementFigures (*figures)(const double* a, const double* b, const double* difference, std::size_t count,
                            FigureBounds bounds);  // count: a multiple of pair_lanes, like the next one's
  double (*largest_relative)(const double* a, const double* b, const double* difference, std::size_t count);
  std::int64_t (*count_same_items)(const std::byte* a, const std::byte* b, std::size_t item_bytes, std::size_t count);
  PairSums (*pair_sums)(const double* a, const double* b, const double* difference, std::size_t count);
  double (*squares)(const double* a, std::size_t count);
  std::uint64_t (*ulp_buckets)(const std::byte* a, const std::byte* b, std::size_t item_bytes, std::size_t count,
                               std::uint8_t* buckets);  // as find_ulp_buckets of kernels/ulp.h
  void (*count_buckets)(const std::uint8_t* buckets, std::size_t count, std::int64_t* histogram);
};

enum class InstructionSet { portable, avx2, avx512 };

bool is_supported(InstructionSet set);  // by this CPU and this build

// Of the best supported set, or of the one that the environment variable GOLDENTRACE_INSTRUCTION_SET names (portable,
// avx2, avx512; Error(usage) when it is another word or not supported), or of the one forced.
const VectorCode& vector_code();

// For tests. Nothing: back to the choice above. std::logic_error when not supported.
void force_instruction_set(std::optional<InstructionSet> set);

}  // namespace goldentrace
