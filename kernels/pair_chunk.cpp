#include "kernels/pair_chunk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/element.h"
#include "kernels/vector_code.h"

namespace goldentrace {
namespace {

std::size_t padded(std::size_t count) { return (count + pair_lanes - 1) / pair_lanes * pair_lanes; }

void widen_padded(const std::byte* bytes, DType dtype, std::size_t count, double* values) {
  vector_code().widen(bytes, dtype, count, values);
  std::fill(values + count, values + padded(count), 0.0);
}

// 64-bit integers: doubles would lose differences below 2^11.
template <typename Integer>
void subtract_exactly(const std::byte* a, const std::byte* b, std::size_t count, double* difference) {
  for (std::size_t i = 0; i < count; ++i) {
    const Integer x = load<Integer>(a, i), y = load<Integer>(b, i);
    const auto from_y = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
    difference[i] = x >= y ? static_cast<double>(from_y) : -static_cast<double>(-from_y);
  }
}

enum class Kind { finite, infinite, nan };

Kind kind_of(const double* parts, std::size_t count) {
  Kind kind = Kind::finite;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(parts[i])) return Kind::nan;
    if (std::isinf(parts[i])) kind = Kind::infinite;
  }
  return kind;
}

void note(Kind kind, std::int64_t index, std::int64_t& nan, std::int64_t& first_nan, std::int64_t& infinite,
          std::int64_t& first_infinite) {
  if (kind == Kind::nan && nan++ == 0) first_nan = index;
  if (kind == Kind::infinite && infinite++ == 0) first_infinite = index;
}

bool agree(const double* a, const double* b, std::size_t parts, bool nan_same) {
  for (std::size_t i = 0; i < parts; ++i) {
    const bool both_nan = nan_same && std::isnan(a[i]) && std::isnan(b[i]);
    if (a[i] != b[i] && !both_nan) return false;
  }
  return true;
}

bool same_bits(const TensorPair& pair, const PairChunk& chunk, std::size_t element) {
  if (!pair.same_dtype()) {
    return std::bit_cast<std::uint64_t>(chunk.value_a[element]) == std::bit_cast<std::uint64_t>(chunk.value_b[element]);
  }
  const std::size_t size = item_size(pair.dtype_a) * pair.components;
  return std::memcmp(chunk.raw_a + element * size, chunk.raw_b + element * size, size) == 0;
}

// Counts the pairs with a non-finite side and takes them out of the value arrays.
void exclude_nonfinite(const TensorPair& pair, bool nan_same, PairChunk& chunk) {
  NonFiniteCounts& found = chunk.nonfinite;
  const std::size_t parts = pair.components;
  for (std::size_t i = 0; i < chunk.elements; ++i) {
    double* a = &chunk.value_a[i * parts];
    double* b = &chunk.value_b[i * parts];
    const Kind kind_a = kind_of(a, parts), kind_b = kind_of(b, parts);
    if (kind_a == Kind::finite && kind_b == Kind::finite) continue;
    const std::int64_t index = chunk.first + static_cast<std::int64_t>(i);
    note(kind_a, index, found.nan_a, found.first_nan_a, found.inf_a, found.first_inf_a);
    note(kind_b, index, found.nan_b, found.first_nan_b, found.inf_b, found.first_inf_b);
    if (!agree(a, b, parts, nan_same) && found.mismatched++ == 0) found.first_mismatched = index;
    found.bit_equal += same_bits(pair, chunk, i);
    found.excluded[found.excluded_count++] = static_cast<std::uint16_t>(i);
    std::fill(a, a + parts, 0.0);
    std::fill(b, b + parts, 0.0);
  }
}

void fill_differences(const TensorPair& pair, PairChunk& chunk) {
  double* difference = chunk.difference.data();
  vector_code().subtract(chunk.value_a.data(), chunk.value_b.data(), padded(chunk.components), difference);
  if (pair.dtype_a == DType::int64) {
    subtract_exactly<std::int64_t>(chunk.raw_a, chunk.raw_b, chunk.components, difference);
  } else if (pair.dtype_a == DType::uint64) {
    subtract_exactly<std::uint64_t>(chunk.raw_a, chunk.raw_b, chunk.components, difference);
  }
}

void fill_sizes(const TensorPair& pair, PairChunk& chunk) {
  chunk.size_a = chunk.value_a.data();
  chunk.size_b = chunk.value_b.data();
  chunk.size_difference = chunk.difference.data();
  if (pair.components == 1) return;
  const auto replace = [&](const double*& size, std::array<double, pair_components>& modulus) {
    vector_code().moduli(size, chunk.elements, modulus.data());
    std::fill(modulus.data() + chunk.elements, modulus.data() + padded(chunk.elements), 0.0);
    size = modulus.data();
  };
  replace(chunk.size_a, chunk.modulus_a);
  replace(chunk.size_b, chunk.modulus_b);
  replace(chunk.size_difference, chunk.modulus_difference);
}

void locate(const TensorPair& pair, std::int64_t first, PairChunk& chunk) {
  chunk.first = first;
  chunk.elements = static_cast<std::size_t>(
      std::min<std::int64_t>(static_cast<std::int64_t>(chunk_size(pair)), pair.elements - first));
  chunk.components = chunk.elements * pair.components;
  const std::size_t start = static_cast<std::size_t>(first) * pair.components;
  chunk.raw_a = pair.a + start * item_size(pair.dtype_a);
  chunk.raw_b = pair.b + start * item_size(pair.dtype_b);
}

}  // namespace

void read_pair(const TensorPair& pair, std::int64_t first, bool nan_same, PairChunk& chunk) {
  locate(pair, first, chunk);
  chunk.nonfinite.excluded_count = 0;
  widen_padded(chunk.raw_a, pair.dtype_a, chunk.components, chunk.value_a.data());
  const bool finite_a = vector_code().all_finite(chunk.value_a.data(), chunk.components);
  chunk.identical = finite_a && pair.same_dtype() &&
                    std::memcmp(chunk.raw_a, chunk.raw_b, chunk.components * item_size(pair.dtype_a)) == 0;
  if (chunk.identical) return;
  widen_padded(chunk.raw_b, pair.dtype_b, chunk.components, chunk.value_b.data());
  if (!finite_a || !vector_code().all_finite(chunk.value_b.data(), chunk.components)) {
    chunk.nonfinite = NonFiniteCounts{};
    exclude_nonfinite(pair, nan_same, chunk);
  }
  fill_differences(pair, chunk);
  fill_sizes(pair, chunk);
}

}  // namespace goldentrace
