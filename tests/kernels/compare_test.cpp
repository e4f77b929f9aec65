#include "kernels/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

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

}  // namespace
}  // namespace goldentrace
