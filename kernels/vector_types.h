// Vectors of the widest kind that the unit's flags allow. Only for kernels/vector_*.cpp: everything has internal
// linkage or is always inlined.
#pragma once

#include <cstddef>
#include <cstdint>
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

// GCC 12 makes conversions between vectors of different element sizes from pieces; hence the instructions by name.
#if defined(__AVX512F__)
GOLDENTRACE_INLINE DoublesPair widened(Floats values) {
  return {_mm512_cvtps_pd(_mm512_castps512_ps256(values)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1))};
}
GOLDENTRACE_INLINE __m512i wide(Vec<std::uint8_t, step> v) { return _mm512_cvtepu8_epi32((__m128i)v); }
GOLDENTRACE_INLINE __m512i wide(Vec<std::int8_t, step> v) { return _mm512_cvtepi8_epi32((__m128i)v); }
GOLDENTRACE_INLINE __m512i wide(Vec<std::uint16_t, step> v) { return _mm512_cvtepu16_epi32((__m256i)v); }
GOLDENTRACE_INLINE __m512i wide(Vec<std::int16_t, step> v) { return _mm512_cvtepi16_epi32((__m256i)v); }
GOLDENTRACE_INLINE Floats to_floats(Ints v) { return _mm512_cvtepi32_ps((__m512i)v); }
GOLDENTRACE_INLINE Doubles to_doubles(Vec<std::int32_t, width> v) { return _mm512_cvtepi32_pd((__m256i)v); }
GOLDENTRACE_INLINE Doubles to_doubles(Vec<std::uint32_t, width> v) { return _mm512_cvtepu32_pd((__m256i)v); }
#elif defined(__AVX2__)
GOLDENTRACE_INLINE DoublesPair widened(Floats values) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(values)), _mm256_cvtps_pd(_mm256_extractf128_ps(values, 1))};
}
GOLDENTRACE_INLINE __m128i in_128(Vec<std::uint8_t, step> v) { return _mm_cvtsi64_si128((long long)v); }
GOLDENTRACE_INLINE __m256i wide(Vec<std::uint8_t, step> v) { return _mm256_cvtepu8_epi32(in_128(v)); }
GOLDENTRACE_INLINE __m256i wide(Vec<std::int8_t, step> v) {
  return _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)v));
}
GOLDENTRACE_INLINE __m256i wide(Vec<std::uint16_t, step> v) { return _mm256_cvtepu16_epi32((__m128i)v); }
GOLDENTRACE_INLINE __m256i wide(Vec<std::int16_t, step> v) { return _mm256_cvtepi16_epi32((__m128i)v); }
GOLDENTRACE_INLINE Floats to_floats(Ints v) { return _mm256_cvtepi32_ps((__m256i)v); }
GOLDENTRACE_INLINE Doubles to_doubles(Vec<std::int32_t, width> v) { return _mm256_cvtepi32_pd((__m128i)v); }
#else
GOLDENTRACE_INLINE DoublesPair widened(Floats values) {
  const auto half = [&](std::size_t from) __attribute__((always_inline)) {
    Doubles result;
    for (std::size_t k = 0; k < width; ++k) result[k] = values[from + k];
    return result;
  };
  return {half(0), half(width)};
}
template <typename Small>
GOLDENTRACE_INLINE Ints wide(Small v) {
  return __builtin_convertvector(v, Ints);
}
GOLDENTRACE_INLINE Floats to_floats(Ints v) { return __builtin_convertvector(v, Floats); }
#endif
template <typename Integers>
GOLDENTRACE_INLINE Doubles to_doubles(Integers v) {
  return __builtin_convertvector(v, Doubles);
}

// Counts the lanes that are zero.
GOLDENTRACE_INLINE void count_zeros(Floats values, Ints& counts) {
#if defined(__AVX512F__)
  const __mmask16 zero = _mm512_cmp_ps_mask(values, _mm512_setzero_ps(), _CMP_EQ_OQ);
  counts = (Ints)_mm512_mask_sub_epi32((__m512i)counts, zero, (__m512i)counts, _mm512_set1_epi32(-1));
#else
  counts -= values == 0;
#endif
}
GOLDENTRACE_INLINE void count_zeros(Doubles values, Longs& counts) {
#if defined(__AVX512F__)
  const __mmask8 zero = _mm512_cmp_pd_mask(values, _mm512_setzero_pd(), _CMP_EQ_OQ);
  counts = (Longs)_mm512_mask_sub_epi64((__m512i)counts, zero, (__m512i)counts, _mm512_set1_epi64(-1));
#else
  counts -= values == 0;
#endif
}

// The first `count` elements from `from`, the others from where they are.
GOLDENTRACE_INLINE void overwrite(double* to, const double* from, std::size_t count) {
  Longs lane;
  for (std::size_t k = 0; k < width; ++k) lane[k] = static_cast<std::int64_t>(k);
  for (std::size_t k = 0; k < step; k += width) {
    const Longs taken = lane + static_cast<std::int64_t>(k) < static_cast<std::int64_t>(count);
    const Longs kept = load_vector<Longs>(to + k) & ~taken;
    store_vector(to + k, (load_vector<Longs>(from + k) & taken) | kept);
  }
}

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
