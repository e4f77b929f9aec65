#include "kernels/fingerprint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "kernels/sketch.h"
#include "tests/kernels/tensors.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;

struct Expected {
  Statistics statistics;
  Sketch sketch;
};

Expected reference(std::span<const std::byte> bytes, DType real_dtype, std::size_t m) {
  Expected expected{.sketch = Sketch(m)};
  Statistics& statistics = expected.statistics;
  const std::size_t count = bytes.size() / item_size(real_dtype);
  long double sum = 0, squares = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = element(bytes, real_dtype, i);
    statistics.nan_count += std::isnan(value);
    statistics.inf_count += std::isinf(value);
    if (!std::isfinite(value)) continue;
    statistics.zero_count += value == 0;
    statistics.min = finite == 0 ? value : std::min(statistics.min, value);
    statistics.max = finite == 0 ? value : std::max(statistics.max, value);
    sum += value;
    squares += static_cast<long double>(value) * value;
    expected.sketch[sketch_bucket(i, m)] += sketch_sign(i) * value;
    ++finite;
  }
  if (finite > 0) statistics.mean = static_cast<double>(sum / finite);
  statistics.l2 = static_cast<double>(std::sqrt(squares));
  return expected;
}

void expect_matches_reference(std::span<const std::byte> bytes, DType dtype, DType real_dtype, std::size_t m) {
  SCOPED_TRACE(std::string(name(dtype)) + " bytes " + std::to_string(bytes.size()) + " m " + std::to_string(m));
  const Fingerprint actual = fingerprint(bytes, dtype, {.sketch_size = m});
  const Expected expected = reference(bytes, real_dtype, m);
  const double scale = expected.statistics.l2 * 1e-12;
  EXPECT_EQ(actual.hash, content_hash(bytes));
  EXPECT_EQ(actual.statistics.min, expected.statistics.min);
  EXPECT_EQ(actual.statistics.max, expected.statistics.max);
  EXPECT_NEAR(actual.statistics.mean, expected.statistics.mean, scale);
  EXPECT_NEAR(actual.statistics.l2, expected.statistics.l2, scale);
  EXPECT_EQ(actual.statistics.nan_count, expected.statistics.nan_count);
  EXPECT_EQ(actual.statistics.inf_count, expected.statistics.inf_count);
  EXPECT_EQ(actual.statistics.zero_count, expected.statistics.zero_count);
  ASSERT_EQ(actual.sketch.size(), m);
  for (std::size_t i = 0; i < m; ++i) ASSERT_NEAR(actual.sketch[i], expected.sketch[i], scale) << i;
}

// Random bits: for floating types that includes NaN, infinities, subnormals and huge values. The exponents of float64
// and float32 are kept in a range in which the reference's own sums are exact enough.
Bytes random_tensor(DType real_dtype, std::size_t count, std::uint64_t seed) {
  Bytes bytes = random_bytes(count * item_size(real_dtype), seed);
  if (real_dtype != DType::float64) return bytes;
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = std::normal_distribution<double>(0.5, 3)(random);
  if (count > 100) values[17] = NAN, values[99] = -INFINITY, values[3] = 0;
  return bytes_of(values);
}

TEST(Fingerprint, MatchesReferenceForEveryDtypeAndLength) {
  for (const DType dtype : real_dtypes()) {
    for (const std::size_t count : {257, 300, 1000, 1024, 4096, 20000, 33333}) {
      expect_matches_reference(random_tensor(dtype, count, count), dtype, dtype, 256);
    }
  }
}

TEST(Fingerprint, MatchesReferenceForOtherSketchSizes) {
  for (const std::size_t m : {1, 7, 64, 100, 999, 5000}) {
    expect_matches_reference(bytes_of(normal_floats(20011, m)), DType::float32, DType::float32, m);
  }
}

TEST(Fingerprint, FiniteFloatsOfEveryLength) {
  for (std::size_t count = 33; count < 300; ++count) {
    expect_matches_reference(bytes_of(normal_floats(count, count)), DType::float32, DType::float32, 32);
  }
}

TEST(Fingerprint, TakesComplexAsTwiceAsManyRealElements) {
  const DType parts[] = {DType::float16, DType::float32, DType::float64};
  for (std::size_t i = 0; i < 3; ++i) {
    expect_matches_reference(random_tensor(parts[i], 6002, i), complex_dtypes()[i], parts[i], 256);
  }
}

TEST(Fingerprint, AcceptsUnalignedBytes) {
  for (const DType dtype : real_dtypes()) {
    const Bytes aligned = random_tensor(dtype, 5000, 5);
    Bytes shifted(aligned.size() + 1);
    std::memcpy(shifted.data() + 1, aligned.data(), aligned.size());
    const Fingerprint expected = fingerprint(aligned, dtype);
    const Fingerprint actual = fingerprint(std::span(shifted).subspan(1), dtype);
    EXPECT_EQ(actual.hash, expected.hash);
    EXPECT_EQ(actual.statistics, expected.statistics);
    EXPECT_EQ(actual.sketch, expected.sketch);
  }
}

TEST(Fingerprint, KeepsSmallTensorsWhole) {
  const Fingerprint small = fingerprint(bytes_of(std::vector<float>{1, NAN, -INFINITY, -0.0f}), DType::float32);
  ASSERT_EQ(small.sketch.size(), 4u);
  EXPECT_EQ(small.sketch[0], 1);
  EXPECT_TRUE(std::isnan(small.sketch[1]));
  EXPECT_EQ(small.sketch[2], -INFINITY);
  EXPECT_EQ(small.statistics.nan_count, 1u);
  EXPECT_EQ(small.statistics.zero_count, 1u);
  EXPECT_EQ(fingerprint(bytes_of(normal_floats(256, 1)), DType::float32).sketch.size(), 256u);
  EXPECT_EQ(fingerprint(bytes_of(normal_floats(256, 1)), DType::complex64).sketch.size(), 256u);
}

TEST(Fingerprint, EmptyAndScalar) {
  const Fingerprint empty = fingerprint({}, DType::float32);
  EXPECT_EQ(empty.hash, content_hash({}));
  EXPECT_EQ(empty.statistics, Statistics{});
  EXPECT_TRUE(empty.sketch.empty());
  EXPECT_TRUE(fingerprint({}, DType::none).sketch.empty());
  const Fingerprint scalar = fingerprint(bytes_of(std::vector<std::int64_t>{-7}), DType::int64);
  EXPECT_EQ(scalar.statistics, (Statistics{.min = -7, .max = -7, .mean = -7, .l2 = 7}));
  EXPECT_EQ(scalar.sketch, Sketch{-7});
}

TEST(Fingerprint, OnlyNonFinite) {
  const std::vector<double> values(1000, NAN);
  const Fingerprint result = fingerprint(bytes_of(values), DType::float64);
  EXPECT_EQ(result.statistics, (Statistics{.nan_count = 1000}));
  EXPECT_EQ(result.sketch, Sketch(256));
}

TEST(Fingerprint, Float8IsHashedOnly) {
  const Bytes bytes = random_bytes(40000, 3);
  const Fingerprint result = fingerprint(bytes, DType::float8_e4m3fn);
  EXPECT_EQ(result.hash, content_hash(bytes));
  EXPECT_EQ(result.statistics, Statistics{});
  EXPECT_TRUE(result.sketch.empty());
}

TEST(Fingerprint, NoSketchWhenNoneIsAskedFor) {
  const Bytes bytes = bytes_of(normal_floats(1000, 1));
  const Fingerprint result = fingerprint(bytes, DType::float32, {.sketch_size = 0});
  EXPECT_TRUE(result.sketch.empty());
  EXPECT_EQ(result.statistics, fingerprint(bytes, DType::float32).statistics);
}

TEST(Fingerprint, NormsOfHugeAndTinyValuesStayInRange) {
  const Fingerprint huge = fingerprint(bytes_of(std::vector<double>(1000, 1.5e308)), DType::float64);
  EXPECT_NEAR(huge.statistics.mean / 1.5e308, 1, 1e-12);
  EXPECT_EQ(huge.statistics.l2, INFINITY);  // the norm itself is beyond the range of double
  const Fingerprint large = fingerprint(bytes_of(std::vector<double>(10000, -1e300)), DType::float64);
  EXPECT_NEAR(large.statistics.l2 / 1e302, 1, 1e-12);
  const Fingerprint tiny = fingerprint(bytes_of(std::vector<double>(10000, 1e-310)), DType::float64);
  EXPECT_NEAR(tiny.statistics.l2 / 1e-308, 1, 1e-5);
  EXPECT_NEAR(tiny.statistics.mean / 1e-310, 1, 1e-5);
  EXPECT_EQ(tiny.statistics.zero_count, 0u);
}

TEST(Fingerprint, MeanOfManyLargeCloseValuesIsAccurate) {
  std::vector<float> values(1 << 20, 16777216.0f);
  values[5] = 0;
  const Fingerprint result = fingerprint(bytes_of(values), DType::float32);
  EXPECT_DOUBLE_EQ(result.statistics.mean, 16777216.0 * (values.size() - 1) / values.size());
}

TEST(Fingerprint, RefusesPartsOfElements) {
  EXPECT_THROW(fingerprint(random_bytes(7, 1), DType::float32), std::logic_error);
  EXPECT_THROW(fingerprint(random_bytes(1, 1), DType::none), std::logic_error);
}

#if defined(__SSE2__)
TEST(Fingerprint, IgnoresFlushToZeroOfTheCaller) {
  const Bytes bytes = bytes_of(std::vector<float>(1000, 1e-42f));
  const Fingerprint expected = fingerprint(bytes, DType::float32);
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);
  const Fingerprint actual = fingerprint(bytes, DType::float32);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(mode);
  EXPECT_EQ(after & 0x8040, 0x8040u);
  EXPECT_EQ(actual.statistics, expected.statistics);
  EXPECT_EQ(actual.sketch, expected.sketch);
  EXPECT_EQ(actual.statistics.zero_count, 0u);
}
#endif

}  // namespace
}  // namespace goldentrace
