#include "kernels/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "kernels/half.h"
#include "tests/kernels/compare_reference.h"
#include "tests/kernels/tensors.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;
using Shape = std::vector<std::int64_t>;

void expect_near(double actual, double expected, const char* what, double tolerance = 1e-11) {
  if (std::isinf(expected)) {
    EXPECT_EQ(actual, expected) << what;
  } else {
    EXPECT_NEAR(actual, expected, tolerance * std::abs(expected)) << what;
  }
}

void expect_same_counts(const Comparison& actual, const Comparison& expected) {
  EXPECT_EQ(actual.elements, expected.elements);
  EXPECT_EQ(actual.bit_equal, expected.bit_equal);
  EXPECT_EQ(actual.value_equal, expected.value_equal);
  EXPECT_EQ(actual.zero_sign, expected.zero_sign);
  EXPECT_EQ(actual.nonfinite_mismatch, expected.nonfinite_mismatch);
  EXPECT_EQ(actual.first_nonfinite, expected.first_nonfinite);
  EXPECT_EQ(actual.nan_a, expected.nan_a);
  EXPECT_EQ(actual.nan_b, expected.nan_b);
  EXPECT_EQ(actual.inf_a, expected.inf_a);
  EXPECT_EQ(actual.inf_b, expected.inf_b);
  EXPECT_EQ(actual.first_nan_a, expected.first_nan_a);
  EXPECT_EQ(actual.first_nan_b, expected.first_nan_b);
  EXPECT_EQ(actual.first_inf_a, expected.first_inf_a);
  EXPECT_EQ(actual.first_inf_b, expected.first_inf_b);
  EXPECT_EQ(actual.outside, expected.outside);
  EXPECT_EQ(actual.first_outside, expected.first_outside);
  EXPECT_EQ(actual.ulp_histogram, expected.ulp_histogram);
  EXPECT_EQ(actual.max_ulp, expected.max_ulp);
}

void expect_same(const Comparison& actual, const Comparison& expected) {
  expect_same_counts(actual, expected);
  expect_near(actual.max_abs, expected.max_abs, "max_abs", 1e-14);
  EXPECT_EQ(actual.max_abs_index, expected.max_abs_index);
  EXPECT_EQ(actual.a_at_max, expected.a_at_max);
  EXPECT_EQ(actual.b_at_max, expected.b_at_max);
  expect_near(actual.max_rel, expected.max_rel, "max_rel", 1e-14);
  EXPECT_EQ(actual.max_rel_index, expected.max_rel_index);
  expect_near(actual.norm_a, expected.norm_a, "norm_a");
  expect_near(actual.norm_b, expected.norm_b, "norm_b");
  expect_near(actual.norm_difference, expected.norm_difference, "norm_difference");
  expect_near(actual.rel_frobenius, expected.rel_frobenius, "rel_frobenius");
  EXPECT_NEAR(actual.cosine, expected.cosine, 1e-11);
  EXPECT_NEAR(actual.ratio, expected.ratio, 1e-11 * std::max(1.0, std::abs(expected.ratio)));
  expect_near(actual.worst_row_rel, expected.worst_row_rel, "worst_row_rel");
  EXPECT_EQ(actual.worst_row, expected.worst_row);
}

// Elements near 1 with a few special values, as bytes of a real dtype.
Bytes encode(const std::vector<double>& values, DType dtype) {
  Bytes bytes(values.size() * item_size(dtype));
  const auto put = [&](std::size_t i, auto value) {
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::float16) put(i, to_half(values[i]));
    if (dtype == DType::bfloat16) put(i, to_bfloat16(values[i]));
    if (dtype == DType::float32) put(i, static_cast<float>(values[i]));
    if (dtype == DType::float64) put(i, values[i]);
  }
  return bytes;
}

Bytes tensor(DType real_dtype, std::size_t count, std::uint64_t seed) {
  if (dtype_class(real_dtype) != DTypeClass::floating) return random_bytes(count * item_size(real_dtype), seed);
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = std::normal_distribution<double>()(random) * std::exp2(random() % 9);
  return encode(values, real_dtype);
}

// Changes some bits of every tenth element on average: low ones mostly, so that distances of all sizes occur.
void disturb(Bytes& bytes, std::size_t item, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < bytes.size() / item; ++i) {
    if (random() % 10 != 0) continue;
    const std::size_t bit = std::min<std::size_t>(random() % (8 * item), random() % (8 * item));
    bytes[i * item + bit / 8] ^= std::byte{1} << bit % 8;
  }
}

void plant_specials(Bytes& bytes, DType dtype, std::uint64_t seed) {
  const std::vector<double> specials{NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-8, -65504, NAN};
  std::mt19937_64 random(seed);
  const std::size_t item = item_size(dtype);
  for (int i = 0; i < 40; ++i) {
    const Bytes value = encode({specials[random() % specials.size()]}, dtype);
    std::memcpy(bytes.data() + random() % 60 * (bytes.size() / item / 60) * item, value.data(), item);
  }
}

void expect_reference(DType a_dtype, const Bytes& a, DType b_dtype, const Bytes& b, const Shape& shape,
                      const CompareOptions& options) {
  SCOPED_TRACE(std::string(name(a_dtype)) + " " + std::string(name(b_dtype)));
  const TensorView view_a{a_dtype, shape, a}, view_b{b_dtype, shape, b};
  expect_same(compare(view_a, view_b, options), reference_compare(view_a, view_b, options));
}

const Shape shapes[] = {{5000}, {100, 50}, {2, 5, 500}, {2500, 2}, {5000, 1}, {1, 5000}, {500, 5, 2, 1}};

TEST(Compare, MatchesReferenceForEveryRealDtype) {
  for (const DType dtype : real_dtypes()) {
    std::uint64_t seed = 0;
    for (const Shape& shape : shapes) {
      const Bytes a = tensor(dtype, 5000, ++seed);
      Bytes b = a;
      disturb(b, item_size(dtype), ++seed);
      expect_reference(dtype, a, dtype, b, shape, {.rtol = 1e-3, .atol = 1e-3});
    }
  }
}

TEST(Compare, MatchesReferenceWithSpecialValues) {
  for (const DType dtype : floating_dtypes()) {
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      Bytes a = tensor(dtype, 1200, seed);
      Bytes b = a;
      plant_specials(a, dtype, seed);
      plant_specials(b, dtype, seed + seed % 2);
      expect_reference(dtype, a, dtype, b, {30, 40}, {.nan_same = seed % 3 != 0, .atol = 1e-2});
    }
  }
}

TEST(Compare, MatchesReferenceForComplex) {
  const DType parts[] = {DType::float16, DType::float32, DType::float64};
  for (std::size_t kind = 0; kind < 3; ++kind) {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      Bytes a = tensor(parts[kind], 6000, seed);
      Bytes b = a;
      disturb(b, item_size(parts[kind]), seed);
      if (seed > 3) plant_specials(a, parts[kind], seed), plant_specials(b, parts[kind], seed + 1);
      expect_reference(complex_dtypes()[kind], a, complex_dtypes()[kind], b, {100, 30}, {.rtol = 1e-2, .atol = 1e-4});
    }
  }
}

TEST(Compare, MatchesReferenceForMixedFloatingDtypes) {
  for (const DType a_dtype : floating_dtypes()) {
    for (const DType b_dtype : floating_dtypes()) {
      if (a_dtype == b_dtype) continue;
      std::mt19937_64 random(7);
      std::vector<double> values(1500);
      for (double& value : values) value = std::normal_distribution<double>()(random);
      values[3] = NAN, values[900] = INFINITY, values[5] = -0.0, values[6] = 1e-7, values[7] = 1e30;
      expect_reference(a_dtype, encode(values, a_dtype), b_dtype, encode(values, b_dtype), {30, 50}, {.rtol = 1e-3});
    }
  }
}

TEST(Compare, EveryLengthAndPosition) {
  for (std::int64_t count = 0; count < 80; ++count) {
    const Bytes a = bytes_of(normal_floats(static_cast<std::size_t>(count), 1));
    Bytes b = a;
    if (count > 0) b[static_cast<std::size_t>(count - 1) * 4] ^= std::byte{1};
    expect_reference(DType::float32, a, DType::float32, b, {count}, {});
  }
}

TEST(Compare, UnalignedInput) {
  for (const DType dtype : real_dtypes()) {
    const Bytes a = tensor(dtype, 3000, 1);
    Bytes b = a;
    disturb(b, item_size(dtype), 2);
    Bytes shifted_a(a.size() + 1), shifted_b(b.size() + 3);
    std::memcpy(shifted_a.data() + 1, a.data(), a.size());
    std::memcpy(shifted_b.data() + 3, b.data(), b.size());
    const Shape shape{3000};
    expect_same(
        compare({dtype, shape, std::span(shifted_a).subspan(1)}, {dtype, shape, std::span(shifted_b).subspan(3)}),
        reference_compare({dtype, shape, a}, {dtype, shape, b}, {}));
  }
}

TEST(Compare, IdenticalTensorsStillGiveNorms) {
  const Bytes a = bytes_of(normal_floats(100000, 1));
  const Shape shape{100, 1000};
  const Comparison result = compare({DType::float32, shape, a}, {DType::float32, shape, a});
  expect_same(result, reference_compare({DType::float32, shape, a}, {DType::float32, shape, a}, {}));
  EXPECT_EQ(result.bit_equal, 100000);
  EXPECT_EQ(result.worst_row, -1);
  EXPECT_NEAR(result.norm_a, std::sqrt(1e5), 3);
  EXPECT_EQ(result.cosine, 1);
}

Comparison compare_doubles(const std::vector<double>& a, const std::vector<double>& b, CompareOptions options = {}) {
  const Shape shape{static_cast<std::int64_t>(a.size())};
  const Bytes bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  return compare({DType::float64, shape, bytes_a}, {DType::float64, shape, bytes_b}, options);
}

TEST(Compare, EmptyAndScalar) {
  EXPECT_EQ(compare_doubles({}, {}).elements, 0);
  const Shape no_rows{3, 0};
  EXPECT_EQ(compare({DType::float32, no_rows, {}}, {DType::float32, no_rows, {}}).rel_frobenius, 0);
  EXPECT_EQ(compare({DType::none, {}, {}}, {DType::none, {}, {}}).elements, 0);
  const Bytes two = bytes_of(std::vector<float>{2}), three = bytes_of(std::vector<float>{3});
  const Comparison result = compare({DType::float32, {}, two}, {DType::float32, {}, three});
  EXPECT_EQ(result.elements, 1);
  EXPECT_EQ(result.max_abs, 1);
  EXPECT_DOUBLE_EQ(result.max_rel, 1.0 / 3);
  EXPECT_DOUBLE_EQ(result.rel_frobenius, 0.5);
  EXPECT_EQ(result.worst_row, -1);
}

TEST(Compare, RelativeErrorNextToZero) {
  const Comparison first = compare_doubles({0, 1}, {0, 2});
  EXPECT_EQ(first.max_rel, 0.5);
  EXPECT_EQ(first.max_rel_index, 1);
  EXPECT_EQ(first.rel_frobenius, 1.0);
  const Comparison second = compare_doubles({0, 1}, {1e-9, 1}, {.rtol = 1.3e-6, .atol = 1e-5});
  EXPECT_EQ(second.max_rel, 1);
  EXPECT_EQ(second.max_rel_index, 0);
  EXPECT_DOUBLE_EQ(second.rel_frobenius, 1e-9);
  EXPECT_EQ(second.outside, 0);
}

struct SpecialPair {
  double a, b;
  std::int64_t mismatches;
};

TEST(Compare, NanAndInfinityTable) {
  const SpecialPair table[] = {{NAN, NAN, 0},           {NAN, 1, 1},
                               {INFINITY, INFINITY, 0}, {INFINITY, -INFINITY, 1},
                               {INFINITY, 1e38, 1},     {NAN, INFINITY, 1}};
  for (const DType dtype : floating_dtypes()) {
    for (const SpecialPair& pair : table) {
      const double b = dtype == DType::float16 && pair.b == 1e38 ? 6e4 : pair.b;
      const Shape shape{2};
      const Bytes bytes_a = encode({1, pair.a}, dtype), bytes_b = encode({1, b}, dtype);
      const Comparison result = compare({dtype, shape, bytes_a}, {dtype, shape, bytes_b});
      EXPECT_EQ(result.nonfinite_mismatch, pair.mismatches) << pair.a << " " << pair.b;
      EXPECT_EQ(result.outside, pair.mismatches);
      EXPECT_EQ(result.first_nonfinite, pair.mismatches > 0 ? 1 : -1);
      EXPECT_EQ(result.value_equal, 2 - pair.mismatches);
      EXPECT_EQ(result.nan_a, std::isnan(pair.a));
      EXPECT_EQ(result.inf_b, std::isinf(pair.b));
      EXPECT_EQ(result.max_abs, 0);
      EXPECT_EQ(result.rel_frobenius, 0);
      EXPECT_EQ(result.ulp_histogram.back(), pair.mismatches);
    }
  }
  const Comparison strict = compare_doubles({1, NAN}, {1, NAN}, {.nan_same = false});
  EXPECT_EQ(strict.nonfinite_mismatch, 1);
  EXPECT_EQ(strict.bit_equal, 2);
  EXPECT_EQ(strict.first_outside, 1);
}

TEST(Compare, SignedZero) {
  for (const DType dtype : floating_dtypes()) {
    const Shape shape{3};
    const Bytes a = encode({-0.0, 1, 0.0}, dtype), b = encode({0.0, 1, 0.0}, dtype);
    const Comparison result = compare({dtype, shape, a}, {dtype, shape, b});
    EXPECT_EQ(result.bit_equal, 2);
    EXPECT_EQ(result.value_equal, 3);
    EXPECT_EQ(result.zero_sign, 1);
    EXPECT_EQ(result.max_abs_index, -1);
    EXPECT_EQ(result.max_ulp, 0u);
    EXPECT_EQ(result.rel_frobenius, 0);
  }
}

TEST(Compare, ScaledTensorIsSeenByRatioAndNorm) {
  const std::vector<double> a{1, -2, 3}, twice{2, -4, 6}, opposite{-1, 2, -3}, zero{0, 0, 0};
  EXPECT_EQ(compare_doubles(a, twice).ratio, 2);
  EXPECT_DOUBLE_EQ(compare_doubles(a, twice).cosine, 1);
  EXPECT_EQ(compare_doubles(a, twice).rel_frobenius, 1);
  EXPECT_EQ(compare_doubles(a, opposite).ratio, -1);
  EXPECT_DOUBLE_EQ(compare_doubles(a, opposite).cosine, -1);
  EXPECT_EQ(compare_doubles(zero, zero).cosine, 1);
  EXPECT_EQ(compare_doubles(zero, zero).rel_frobenius, 0);
  EXPECT_EQ(compare_doubles(zero, a).cosine, 0);
  EXPECT_EQ(compare_doubles(zero, a).rel_frobenius, INFINITY);
  EXPECT_EQ(compare_doubles(a, zero).rel_frobenius, 1);
}

TEST(Compare, MixedDtypesWithEqualValues) {
  const Shape shape{3};
  const std::vector<double> values{1, 0.5, -3};
  for (const DType a_dtype : floating_dtypes()) {
    for (const DType b_dtype : floating_dtypes()) {
      const Bytes a = encode(values, a_dtype), b = encode(values, b_dtype);
      const Comparison result = compare({a_dtype, shape, a}, {b_dtype, shape, b});
      EXPECT_EQ(result.bit_equal, 3);
      EXPECT_EQ(result.value_equal, 3);
      EXPECT_EQ(result.max_abs, 0);
    }
  }
}

// 640 fp16 values in 1-2, 289 of them one step apart, and one pair next to zero.
TEST(Compare, HalfNoiseAtTheScaleOfTheTensor) {
  const std::size_t near_zero = 400;
  std::vector<std::uint16_t> a(640), b;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint16_t>(0x3C00 + i);
  b = a;
  for (std::size_t i = 0; i < 289; ++i) b[i] = static_cast<std::uint16_t>(b[i] + (i % 2 == 0 ? 1 : -1));
  a[near_zero] = to_half(0.0075);
  b[near_zero] = to_half(0.0085);
  const Shape shape{5, 128};
  const Bytes bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  const Comparison result = compare({DType::float16, shape, bytes_a}, {DType::float16, shape, bytes_b});
  EXPECT_EQ(result.elements - result.bit_equal, 290);
  EXPECT_NEAR(result.max_abs, 9.99e-4, 1e-6);
  EXPECT_NEAR(result.max_rel, 0.118, 1e-3);
  EXPECT_EQ(result.max_abs_index, 400);
  EXPECT_EQ(result.max_ulp, 172u);
  EXPECT_EQ(result.ulp_histogram[0], 350);
  EXPECT_EQ(result.ulp_histogram[1], 289);
  EXPECT_EQ(result.ulp_histogram[8], 1);
  EXPECT_LT(result.rel_frobenius, 1e-3);
}

TEST(Compare, IntegersBeyond53BitsAreExact) {
  const std::int64_t large = std::int64_t{1} << 60;
  const Shape shape{3};
  const std::vector<std::int64_t> a{large, INT64_MIN, 0}, b{large + 1, INT64_MAX, 0};
  const Bytes bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  const Comparison result = compare({DType::int64, shape, bytes_a}, {DType::int64, shape, bytes_b}, {.atol = 0.5});
  EXPECT_EQ(result.value_equal, 1);
  EXPECT_EQ(result.outside, 2);
  EXPECT_EQ(result.max_abs, std::ldexp(1.0, 64));
  EXPECT_EQ(result.max_abs_index, 1);
  const std::vector<std::uint64_t> c{UINT64_MAX}, d{UINT64_MAX - 1};
  const Shape one{1};
  const Bytes bytes_c = bytes_of(c), bytes_d = bytes_of(d);
  EXPECT_EQ(compare({DType::uint64, one, bytes_c}, {DType::uint64, one, bytes_d}).max_abs, 1);
}

TEST(Compare, Float8IsComparedBitwise) {
  const Bytes a{std::byte{0x38}, std::byte{0x00}, std::byte{0x7F}},
      b{std::byte{0x38}, std::byte{0x80}, std::byte{0x7F}};
  const Shape shape{3};
  const Comparison result = compare({DType::float8_e4m3fn, shape, a}, {DType::float8_e4m3fn, shape, b});
  EXPECT_EQ(result.bit_equal, 2);
  EXPECT_EQ(result.value_equal, 2);
  EXPECT_EQ(result.first_outside, 1);
  EXPECT_EQ(result.rel_frobenius, INFINITY);
  EXPECT_EQ(compare({DType::float8_e4m3fn, shape, a}, {DType::float8_e4m3fn, shape, a}).rel_frobenius, 0);
}

TEST(Compare, HugeAndTinyDoublesStayInRange) {
  const Comparison huge = compare_doubles({1e300, -1.7e308, 3}, {1e300, 1.7e308, 3});
  EXPECT_TRUE(std::isfinite(huge.max_abs));
  EXPECT_TRUE(std::isfinite(huge.rel_frobenius));
  EXPECT_GT(huge.rel_frobenius, 1);
  EXPECT_NEAR(huge.cosine, -1, 1e-9);
  const Comparison large = compare_doubles({3e200, 4e200}, {3e200, 4.4e200});
  EXPECT_DOUBLE_EQ(large.norm_a, 5e200);
  EXPECT_NEAR(large.rel_frobenius, 0.08, 1e-12);
  const Comparison tiny = compare_doubles({3e-300, 4e-300}, {3e-300, 4.4e-300});
  EXPECT_NEAR(tiny.norm_a / 5e-300, 1, 1e-12);
  EXPECT_NEAR(tiny.rel_frobenius, 0.08, 1e-12);
  const Comparison mixed = compare_doubles({1, 1e-300}, {1, 2e-300});
  EXPECT_NEAR(mixed.norm_difference / 1e-300, 1, 1e-12);
  EXPECT_EQ(mixed.norm_a, 1);
  EXPECT_EQ(compare_doubles({1e-200, 2e-200}, {1e-200, 2e-200}).norm_a, std::sqrt(5.0) * 1e-200);
}

TEST(Compare, WorstRowIgnoresRowsNextToNothing) {
  std::vector<float> a(40, 1.0f);
  for (std::size_t i = 0; i < 10; ++i) a[i] = 1e-3f;
  std::vector<float> b = a;
  b[3] = 1;        // a huge relative error in a row of nearly no weight
  b[25] = 1.125f;  // in row 2
  const Shape shape{2, 2, 10};
  const Bytes bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  const Comparison result = compare({DType::float32, shape, bytes_a}, {DType::float32, shape, bytes_b});
  EXPECT_EQ(result.worst_row, 2);
  EXPECT_NEAR(result.worst_row_rel, 0.125 / std::sqrt(10), 1e-12);
}

TEST(Compare, MoreDifferingRowsThanAreRemembered) {
  const std::size_t rows = 600000;
  std::vector<float> a(rows, 1.0f), b(rows, 1.0f + 0x1p-20f);
  a[0] = 1e-6f, b[0] = 1;
  b[rows - 7] = 1.5f;
  const Shape shape{static_cast<std::int64_t>(rows), 1};
  const Bytes bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  const Comparison result = compare({DType::float32, shape, bytes_a}, {DType::float32, shape, bytes_b});
  EXPECT_EQ(result.worst_row, static_cast<std::int64_t>(rows - 7));
  EXPECT_DOUBLE_EQ(result.worst_row_rel, 0.5);
}

TEST(Compare, SwappedSidesGiveTheSameSymmetricFigures) {
  const Bytes a = tensor(DType::float32, 4000, 1);
  Bytes b = a;
  disturb(b, 4, 2);
  const Shape shape{4000};
  const Comparison forth = compare({DType::float32, shape, a}, {DType::float32, shape, b});
  const Comparison back = compare({DType::float32, shape, b}, {DType::float32, shape, a});
  EXPECT_EQ(forth.max_abs, back.max_abs);
  EXPECT_EQ(forth.max_rel, back.max_rel);
  EXPECT_EQ(forth.norm_difference, back.norm_difference);
  EXPECT_EQ(forth.ulp_histogram, back.ulp_histogram);
  EXPECT_EQ(forth.norm_a, back.norm_b);
}

TEST(Compare, RefusesWhatTheCallerMustJudge) {
  const Bytes four(4), eight(8);
  const Shape one{1}, two{2}, negative{-1}, huge{INT64_MAX, 4};
  EXPECT_THROW(compare({DType::float32, one, four}, {DType::float32, two, eight}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, one, eight}, {DType::float32, one, four}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, one, four}, {DType::int32, one, four}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, negative, {}}, {DType::float32, negative, {}}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, huge, {}}, {DType::float32, huge, {}}), std::logic_error);
}

TEST(ElementAsDouble, ReadsEveryDtype) {
  for (const DType dtype : real_dtypes()) {
    const Bytes bytes = tensor(dtype, 10, 3);
    const Shape shape{10};
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_EQ(element_as_double({dtype, shape, bytes}, i), element(bytes, dtype, static_cast<std::size_t>(i)));
    }
    EXPECT_THROW(element_as_double({dtype, shape, bytes}, 10), std::out_of_range);
    EXPECT_THROW(element_as_double({dtype, shape, bytes}, -1), std::out_of_range);
  }
  const Bytes parts = bytes_of(std::vector<float>{1, 2, 3, 4});
  const Shape two{2};
  EXPECT_EQ(element_as_double({DType::complex64, two, parts}, 1), 3);
}

#if defined(__SSE2__)
TEST(Compare, IgnoresFlushToZeroOfTheCaller) {
  const Bytes a = bytes_of(std::vector<float>{1e-42f, 1}), b = bytes_of(std::vector<float>{2e-42f, 1});
  const Shape shape{2};
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);
  const Comparison result = compare({DType::float32, shape, a}, {DType::float32, shape, b});
  _mm_setcsr(mode);
  EXPECT_EQ(result.value_equal, 1);
}
#endif

}  // namespace
}  // namespace goldentrace
