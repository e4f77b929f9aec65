#include "diff/value_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "diff/hints.h"
#include "diff/number.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using ::testing::Field;
using testing::floats;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Tensor;

std::vector<Diagnosis> hints_of(const Tensor& a, const Tensor& b) {
  const TensorView view_a{a.dtype, a.shape, a.bytes};
  const TensorView view_b{b.dtype, b.shape, b.bytes};
  return hints(view_a, view_b, judge(view_a, view_b, {}));
}

auto has_kind(const std::string& kind) { return Contains(Field(&Diagnosis::kind, kind)); }
auto says(const std::string& text) { return Contains(Field(&Diagnosis::text, HasSubstr(text))); }

TEST(Hints, NameTheRatio) {
  EXPECT_THAT(hints_of(floats({1, 2, -3}), floats({2, 4, -6})), says("ratio 2.0"));
  EXPECT_THAT(hints_of(floats({1, 2, -3}), floats({-1, -2, 3})), says("ratio -1.0"));
  EXPECT_THAT(hints_of(floats({1, 2, -3}), floats({0.5F, 1, -1.5F})), says("ratio 0.5 = 1/2"));
  EXPECT_THAT(hints_of(floats({1, 2, -3}), floats({1, 2, -4})), Not(has_kind("ratio")));
}

TEST(Hints, NameTheRatioOfOneNumberOnlyWhenItIsPlain) {
  EXPECT_THAT(hints_of(floats({0.493361F}), floats({0.2466805F})), says("1/2"));
  EXPECT_THAT(hints_of(floats({0.493361F}), floats({0.4F})), Not(has_kind("ratio")));
}

TEST(Hints, SignOfZeroOnlyWhenNothingElseDiffers) {
  EXPECT_THAT(hints_of(floats({-0.0F, 1}), floats({0.0F, 1})), has_kind("sign-of-zero"));
  EXPECT_THAT(hints_of(floats({-0.0F, 1}), floats({0.0F, 2})), Not(has_kind("sign-of-zero")));
}

TEST(Hints, NameAConstantOffset) {
  EXPECT_THAT(hints_of(floats({1, 2, -3}), floats({1.5F, 2.5F, -2.5F})), says("offset 0.5"));
  EXPECT_THAT(hints_of(floats({1, 2, -3}), floats({1.5F, 2.5F, -3})), Not(has_kind("offset")));
}

TEST(Hints, NameAPermutation) {
  EXPECT_THAT(hints_of(floats({1, 2, 3}), floats({3, 1, 2})), has_kind("permutation"));
  EXPECT_THAT(hints_of(floats({1, 2, 3}), floats({3, 1, 1})), Not(has_kind("permutation")));
}

TEST(Hints, NameTheMask) {
  const Tensor a = floats({1, 0, 0, 1, 2, 0, 1, 2, 3}, {3, 3});
  EXPECT_THAT(hints_of(a, floats({1, 2, 3, 1, 2, 3, 1, 2, 3}, {3, 3})), says("only non-final positions differ"));
  EXPECT_THAT(hints_of(a, floats({1, 2, 3, 1, 2, 3, 1, 2, 4}, {3, 3})), Not(has_kind("mask")));
  // Other kernels round the position that agrees.
  EXPECT_THAT(hints_of(a, floats({1, 2, 3, 1, 2, 3, 1, 2, 3.0000002F}, {3, 3})),
              says("only non-final positions differ"));
}

TEST(Hints, NameOneNumberEverywhere) {
  EXPECT_THAT(hints_of(floats({1, 2, 3}), floats({1, 1, 1})), says("every element of B is 1"));
  EXPECT_THAT(hints_of(floats({2, 2, 2}), floats({1, 1, 1})), Not(has_kind("constant")));
  // All zeros: one hint, and no rows.
  const Tensor a = floats({1, 2, 3, 4}, {2, 2});
  EXPECT_THAT(hints_of(a, floats({0, 0, 0, 0}, {2, 2})), ::testing::ElementsAre(Field(&Diagnosis::kind, "zero")));
}

TEST(Hints, NameZeroRows) {
  const Tensor a = floats({1, 2, 3, 4}, {2, 2});
  EXPECT_THAT(hints_of(a, floats({0, 0, 3, 4}, {2, 2})), says("1 row of B zero"));
  EXPECT_THAT(hints_of(a, floats({0, 0, 3, 5}, {2, 2})), Not(has_kind("zero-row")));
}

TEST(Hints, NameRoundingToBfloat16) {
  EXPECT_THAT(hints_of(floats({1.001F, 2.003F}), floats({1.0F, 2.0F})), has_kind("rounded"));
}

TEST(Hints, NameDifferencesOfAFewUlp) {
  std::vector<float> values{1.1F, 1.2F, 1.3F, 1.4F};
  const Tensor a = floats(values);
  values[2] = std::nextafter(values[2], 2.0F);
  EXPECT_THAT(hints_of(a, floats(values)), has_kind("rounding"));
}

TEST(Hints, AreNeverProved) {
  for (const Diagnosis& each : hints_of(floats({1, 2, -3}), floats({2, 4, -6}))) EXPECT_FALSE(each.proved);
}

TEST(Hints, FromSketchesKnowTheRatio) {
  EXPECT_THAT(hints_from_sketches({1, -2, 3}, {2, -4, 6}), says("ratio 2.0"));
  EXPECT_THAT(hints_from_sketches({1, -2, 3}, {2, -4, 7}), IsEmpty());
  EXPECT_THAT(hints_from_sketches({1, -2, 3}, {2, -4}), IsEmpty());
}

TEST(Ulp, AreCountedAtTheScaleOfTheTensor) {
  EXPECT_DOUBLE_EQ(unit_in_last_place(DType::float16, std::sqrt(640 * 1.5 * 1.5), 640), std::ldexp(1.0, -10));
  EXPECT_EQ(unit_in_last_place(DType::int64, 1, 1), 0);
}

TEST(Numbers, AreShortAndExact) {
  EXPECT_EQ(show_exact(1e-5), "1e-05");
  EXPECT_EQ(show(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(coordinates(7, std::vector<std::int64_t>{2, 5}), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(show_list(std::vector<std::int64_t>{}), "[]");
}

}  // namespace
}  // namespace goldentrace
