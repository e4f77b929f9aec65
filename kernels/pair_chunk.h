// One cache-sized chunk of two tensors, widened to double for comparison.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/compare.h"
#include "traces/dtype.h"

namespace goldentrace {

inline constexpr std::size_t pair_components = 512;  // real elements of a chunk
inline constexpr std::size_t pair_lanes = 16;        // arrays are padded with zeros to a multiple of this

// Two tensors of equal shape, ready to be read in chunks.
struct TensorPair {
  DType dtype_a, dtype_b;  // of the components: no complex
  std::size_t components;  // real numbers per element: 2 for complex
  std::int64_t elements;
  const std::byte* a;
  const std::byte* b;

  bool same_dtype() const { return dtype_a == dtype_b; }
};

// What non-finite elements of a chunk say. Indexes are flat indexes of the tensor, -1 for none.
struct NonFiniteCounts {
  std::int64_t nan_a = 0, nan_b = 0, inf_a = 0, inf_b = 0;
  std::int64_t first_nan_a = -1, first_nan_b = -1, first_inf_a = -1, first_inf_b = -1;
  std::int64_t mismatched = 0, first_mismatched = -1;
  std::int64_t bit_equal = 0;  // among the excluded pairs
  // Positions in the chunk of pairs with a non-finite side.
  std::array<std::uint16_t, pair_components> excluded;
  std::size_t excluded_count = 0;
};

// Elements [first, first + elements) of a pair. Components of pairs with a non-finite side are 0 in the value arrays.
struct PairChunk {
  std::int64_t first = 0;
  std::size_t elements = 0;
  std::size_t components = 0;  // elements, or twice as many for complex
  const std::byte* raw_a = nullptr;
  const std::byte* raw_b = nullptr;

  // Same bytes and every element finite: value_b and the differences are not filled then.
  bool identical = false;
  NonFiniteCounts nonfinite;

  alignas(64) std::array<double, pair_components> value_a;
  alignas(64) std::array<double, pair_components> value_b;
  alignas(64) std::array<double, pair_components> difference;  // a - b
  // Per element, sign meaningless: the arrays above for real dtypes, those below for complex ones.
  const double* size_a = nullptr;
  const double* size_b = nullptr;
  const double* size_difference = nullptr;
  alignas(64) std::array<double, pair_components> modulus_a;
  alignas(64) std::array<double, pair_components> modulus_b;
  alignas(64) std::array<double, pair_components> modulus_difference;
};

// Elements in every chunk but the last.
inline std::size_t chunk_size(const TensorPair& pair) { return pair_components / pair.components; }

// Fills the chunk that starts at element `first`.
void read_pair(const TensorPair& pair, std::int64_t first, bool nan_same, PairChunk& chunk);

}  // namespace goldentrace
