// `step` elements of a dtype as vectors: floats where float holds every value, else doubles.
#pragma once

#include "kernels/element.h"
#include "kernels/vector_types.h"

namespace goldentrace {
namespace {

template <typename Element>
struct VectorLoad {  // integers of 32 and 64 bits
  using Bits = typename Element::Bits;
  static constexpr bool as_floats = false;
  static constexpr bool exact_squares = false;
  static constexpr bool always_finite = true;

  static GOLDENTRACE_INLINE Doubles half(const std::byte* bytes) {
    return to_doubles(load_vector<Vec<Bits, width>>(bytes));
  }
  static GOLDENTRACE_INLINE DoublesPair get(const std::byte* bytes) {
    return {half(bytes), half(bytes + width * sizeof(Bits))};
  }
};

template <>
struct VectorLoad<PlainElement<double>> {
  static constexpr bool as_floats = false;
  static constexpr bool exact_squares = false;
  static constexpr bool always_finite = false;

  static GOLDENTRACE_INLINE DoublesPair get(const std::byte* bytes) {
    return {load_vector<Doubles>(bytes), load_vector<Doubles>(bytes + sizeof(Doubles))};
  }
};

template <typename Small>
struct SmallIntegerLoad {
  static constexpr bool as_floats = true;
  static constexpr bool exact_squares = true;
  static constexpr bool always_finite = true;

  static GOLDENTRACE_INLINE Floats get(const std::byte* bytes) {
    return to_floats((Ints)wide(load_vector<Vec<Small, step>>(bytes)));
  }
};
template <>
struct VectorLoad<PlainElement<std::uint8_t>> : SmallIntegerLoad<std::uint8_t> {};
template <>
struct VectorLoad<PlainElement<std::int8_t>> : SmallIntegerLoad<std::int8_t> {};
template <>
struct VectorLoad<PlainElement<std::uint16_t>> : SmallIntegerLoad<std::uint16_t> {};
template <>
struct VectorLoad<PlainElement<std::int16_t>> : SmallIntegerLoad<std::int16_t> {};

template <>
struct VectorLoad<BoolElement> {
  static constexpr bool as_floats = true;
  static constexpr bool exact_squares = true;
  static constexpr bool always_finite = true;

  static GOLDENTRACE_INLINE Floats get(const std::byte* bytes) {
    const auto bits = load_vector<Vec<std::uint8_t, step>>(bytes);
    return to_floats((Ints)wide((Vec<std::uint8_t, step>)(bits != 0) & 1));
  }
};

struct FloatLoad {
  static constexpr bool as_floats = true;
  static constexpr bool exact_squares = true;
  static constexpr bool always_finite = false;
};

template <>
struct VectorLoad<PlainElement<float>> : FloatLoad {
  static GOLDENTRACE_INLINE Floats get(const std::byte* bytes) { return load_vector<Floats>(bytes); }
};

// The same elements as doubles. float32: read once more, which is cheaper than taking a vector apart.
template <typename Element>
GOLDENTRACE_INLINE DoublesPair as_doubles(const std::byte*, Floats values) {
  return widened(values);
}
#if defined(__AVX512F__)
template <>
GOLDENTRACE_INLINE DoublesPair as_doubles<PlainElement<float>>(const std::byte* bytes, Floats) {
  return {_mm512_cvtps_pd(load_vector<__m256>(bytes)), _mm512_cvtps_pd(load_vector<__m256>(bytes + 32))};
}
#endif

template <>
struct VectorLoad<Bfloat16Element> : FloatLoad {
  static GOLDENTRACE_INLINE Floats get(const std::byte* bytes) {
    return same_bits<Floats>((Ints)wide(load_vector<Vec<std::uint16_t, step>>(bytes)) << 16);
  }
};

template <>
struct VectorLoad<HalfElement> : FloatLoad {
  static GOLDENTRACE_INLINE Floats get(const std::byte* bytes) {
#if defined(__AVX512F__)
    return _mm512_cvtph_ps(load_vector<__m256i>(bytes));
#elif defined(__F16C__)
    return _mm256_cvtph_ps(load_vector<__m128i>(bytes));
#else
    using Words = Vec<std::uint32_t, step>;
    const Words word = __builtin_convertvector(load_vector<Vec<std::uint16_t, step>>(bytes), Words) << 16;
    const Words magnitude = word + word;
    // As half_to_float.
    const Floats normal = same_bits<Floats>((magnitude >> 4) + (0xE0u << 23)) * 0x1p-112f;
    const Floats subnormal = same_bits<Floats>((magnitude >> 17) | (126u << 23)) - 0.5f;
    const Floats value = magnitude < (1u << 27) ? subnormal : normal;
    return same_bits<Floats>(same_bits<Words>(value) | (word & 0x80000000u));
#endif
  }
};

}  // namespace
}  // namespace goldentrace
