// Vectors of the widest kind that the unit's flags allow. Only for kernels/vector_*.cpp: everything has internal
// linkage or is always inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/fingerprint_order.h"
#include "kernels/host_device.h"

namespace goldentrace {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
constexpr std::size_t width = vector_bytes / 8;  // doubles in a vector
constexpr std::size_t step = 2 * width;          // lanes taken at once: one vector of floats, two of doubles

template <typename T, std::size_t count>
struct VectorOf {
  using Type __attribute__((vector_size(sizeof(T) * count))) = T;
};
template <typename T, std::size_t count>
using Vec = typename VectorOf<T, count>::Type;

using Doubles = Vec<double, width>;
using Longs = Vec<std::int64_t, width>;
using Floats = Vec<float, step>;
using Ints = Vec<std::int32_t, step>;

template <typename V>
GOLDENTRACE_INLINE V load_vector(const void* from) {
  V vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}

template <typename V>
GOLDENTRACE_INLINE void store_vector(void* to, V vector) {
  __builtin_memcpy(to, &vector, sizeof vector);
}

template <typename To, typename From>
GOLDENTRACE_INLINE To same_bits(From from) {
  return (To)from;
}

struct DoublesPair {
  Doubles low, high;
};

template <std::size_t... k>
GOLDENTRACE_INLINE DoublesPair widened(Floats values, std::index_sequence<k...>) {
  return {__builtin_convertvector(__builtin_shufflevector(values, values, k...), Doubles),
          __builtin_convertvector(__builtin_shufflevector(values, values, (k + width)...), Doubles)};
}
GOLDENTRACE_INLINE DoublesPair widened(Floats values) { return widened(values, std::make_index_sequence<width>{}); }

// a < b ? a : b and a > b ? a : b, so b where a is not a number.
#if defined(__AVX512F__)
GOLDENTRACE_INLINE Floats smaller(Floats a, Floats b) { return _mm512_min_ps(a, b); }
GOLDENTRACE_INLINE Floats larger(Floats a, Floats b) { return _mm512_max_ps(a, b); }
GOLDENTRACE_INLINE Doubles smaller(Doubles a, Doubles b) { return _mm512_min_pd(a, b); }
GOLDENTRACE_INLINE Doubles larger(Doubles a, Doubles b) { return _mm512_max_pd(a, b); }
#elif defined(__AVX2__)
GOLDENTRACE_INLINE Floats smaller(Floats a, Floats b) { return _mm256_min_ps(a, b); }
GOLDENTRACE_INLINE Floats larger(Floats a, Floats b) { return _mm256_max_ps(a, b); }
GOLDENTRACE_INLINE Doubles smaller(Doubles a, Doubles b) { return _mm256_min_pd(a, b); }
GOLDENTRACE_INLINE Doubles larger(Doubles a, Doubles b) { return _mm256_max_pd(a, b); }
#else
template <typename V>
GOLDENTRACE_INLINE V smaller(V a, V b) {
  return a < b ? a : b;
}
template <typename V>
GOLDENTRACE_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}
#endif

// x² + sum where x² is exact, so that one rounding or two are the same.
GOLDENTRACE_INLINE Doubles add_exact_square(Doubles x, Doubles sum) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(x, x, sum);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(x, x, sum);
#else
  return x * x + sum;
#endif
}

}  // namespace
}  // namespace goldentrace
