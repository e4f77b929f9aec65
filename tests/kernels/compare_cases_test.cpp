#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "kernels/compare.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "kernels/half.h"
#include "tests/kernels/tensors.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;
using Shape = std::vector<std::int64_t>;

Comparison compare_doubles(const std::vector<double>& a, const std::vector<double>& b, CompareOptions options = {}) {
  const Shape shape{static_cast<std::int64_t>(a.size())};
  const Bytes bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  return compare({DType::float64, shape, bytes_a}, {DType::float64, shape, bytes_b}, options);
}

TEST(CompareCases, EmptyAndScalar) {
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

TEST(CompareCases, RelativeErrorNextToZero) {
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

TEST(CompareCases, NanAndInfinityTable) {
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

TEST(CompareCases, SignedZero) {
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

TEST(CompareCases, ScaledTensorIsSeenByRatioAndNorm) {
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

TEST(CompareCases, MixedDtypesWithEqualValues) {
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
TEST(CompareCases, HalfNoiseAtTheScaleOfTheTensor) {
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

TEST(CompareCases, IntegersBeyond53BitsAreExact) {
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

TEST(CompareCases, Float8IsComparedBitwise) {
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

TEST(CompareCases, HugeAndTinyDoublesStayInRange) {
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

TEST(CompareCases, WorstRowIgnoresRowsNextToNothing) {
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

TEST(CompareCases, MoreDifferingRowsThanAreRemembered) {
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

TEST(CompareCases, RefusesWhatTheCallerMustJudge) {
  const Bytes four(4), eight(8);
  const Shape one{1}, two{2}, negative{-1}, huge{INT64_MAX, 4};
  EXPECT_THROW(compare({DType::float32, one, four}, {DType::float32, two, eight}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, one, eight}, {DType::float32, one, four}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, one, four}, {DType::int32, one, four}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, negative, {}}, {DType::float32, negative, {}}), std::logic_error);
  EXPECT_THROW(compare({DType::float32, huge, {}}, {DType::float32, huge, {}}), std::logic_error);
}

#if defined(__SSE2__)
TEST(CompareCases, IgnoresFlushToZeroOfTheCaller) {
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
