#include "tests/kernels/compare_twins.h"

#include <gtest/gtest.h>

namespace goldentrace::testing {
namespace {

std::vector<DType> every_dtype() {
  std::vector<DType> all = real_dtypes();
  all.insert(all.end(), complex_dtypes().begin(), complex_dtypes().end());
  all.push_back(DType::float8_e4m3fn);
  return all;
}

std::int64_t count(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) elements *= size;
  return elements;
}

Bytes with_flipped_bits(Bytes bytes, std::size_t every) {
  for (std::size_t i = 0; i < bytes.size(); i += every) bytes[i] ^= std::byte{1};
  return bytes;
}

// Any bits, so that there are NaN, infinities, subnormals and values of every size.
PairCase random_pair(DType dtype, std::vector<std::int64_t> shape, std::size_t every) {
  PairCase pair{
      std::string(name(dtype)) + " flipped every " + std::to_string(every), dtype, dtype, std::move(shape), {}, {}};
  pair.bytes_a = random_bytes(static_cast<std::size_t>(count(pair.shape)) * item_size(dtype), every);
  pair.bytes_b = with_flipped_bits(pair.bytes_a, every);
  return pair;
}

PairCase mixed_pair(DType a, DType b) {
  PairCase pair{std::string(name(a)) + " and " + std::string(name(b)), a, b, {37, 300}, {}, {}};
  std::vector<double> values(37 * 300);
  std::mt19937_64 random(5);
  for (double& value : values) value = std::normal_distribution<double>()(random);
  values[7] = NAN, values[900] = INFINITY, values[1000] = -0.0;
  pair.bytes_a = encode(values, a), pair.bytes_b = encode(values, b);
  return pair;
}

PairCase extreme_pair(double size) {
  PairCase pair{"float64 of size " + std::to_string(size), DType::float64, DType::float64, {20, 600}, {}, {}};
  std::vector<double> a(20 * 600), b;
  std::mt19937_64 random(9);
  for (double& value : a) value = size * std::normal_distribution<double>()(random) / 8;
  b = a;
  for (std::size_t i = 0; i < b.size(); i += 5) b[i] *= 1.001;
  pair.bytes_a = bytes_of(a), pair.bytes_b = bytes_of(b);
  return pair;
}

}  // namespace

std::vector<PairCase> pair_cases() {
  std::vector<PairCase> cases;
  for (const DType dtype : every_dtype()) {
    for (const std::size_t every : {7, 4000, 1 << 30}) cases.push_back(random_pair(dtype, {3, 11, 257}, every));
    cases.push_back(random_pair(dtype, {20011}, 301));
    cases.push_back(random_pair(dtype, {5000, 3}, 301));
  }
  cases.push_back(random_pair(DType::float32, {}, 1));
  cases.push_back(random_pair(DType::float32, {0, 5}, 1));
  for (const DType a : floating_dtypes()) {
    for (const DType b : floating_dtypes()) cases.push_back(mixed_pair(a, b));
  }
  for (const double size : {1e300, 1e-300}) cases.push_back(extreme_pair(size));
  return cases;
}

namespace {

void expect_close(double actual, double expected, const char* what) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return;
  EXPECT_NEAR(actual / expected, 1, 1e-12) << what;
}

}  // namespace

void expect_same_comparison(const Comparison& actual, const Comparison& expected) {
  Comparison exact = actual;
  for (const auto sum :
       {&Comparison::norm_a, &Comparison::norm_b, &Comparison::norm_difference, &Comparison::rel_frobenius,
        &Comparison::cosine, &Comparison::ratio, &Comparison::worst_row_rel}) {
    if (sum == &Comparison::cosine || sum == &Comparison::ratio) {
      EXPECT_NEAR(actual.*sum, expected.*sum, 1e-12);
    } else {
      expect_close(actual.*sum, expected.*sum, "sum");
    }
    exact.*sum = expected.*sum;
  }
  EXPECT_TRUE(exact == expected);
}

}  // namespace goldentrace::testing
