#include "diff/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/diff/memory_trace.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::bytes_of;
using testing::doubles;
using testing::floats;
using ::testing::HasSubstr;
using testing::integers;
using testing::Tensor;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

Judgement judged(const Tensor& a, const Tensor& b, const Gate& gate = {}) {
  return judge({a.dtype, a.shape, a.bytes}, {b.dtype, b.shape, b.bytes}, gate);
}

Gate gate_of(GateKind kind) {
  Gate gate;
  gate.kind = kind;
  return gate;
}

TEST(Limits, FollowTheTablePerDtype) {
  EXPECT_EQ(limits({}, DType::float64, DType::float64).rel, 1e-12);
  EXPECT_EQ(limits({}, DType::float32, DType::float32).rel, 1e-5);
  EXPECT_EQ(limits({}, DType::float16, DType::float16).rel, 5e-3);
  EXPECT_EQ(limits({}, DType::bfloat16, DType::bfloat16).rel, 3e-2);
  EXPECT_EQ(limits({}, DType::float32, DType::float32).rtol, 1.3e-6);
  EXPECT_EQ(limits({}, DType::float32, DType::float32).atol, 1e-5);
  EXPECT_EQ(limits({}, DType::bfloat16, DType::bfloat16).rtol, 1.6e-2);
  EXPECT_EQ(limits({}, DType::float64, DType::float64).atol, 1e-7);
  EXPECT_EQ(limits({}, DType::int64, DType::int64).rel, 0);
}

TEST(Limits, MixedDtypesTakeTheCoarser) {
  EXPECT_EQ(limits({}, DType::float32, DType::bfloat16).rel, 3e-2);
  EXPECT_EQ(limits({}, DType::float16, DType::float64).rtol, 1e-3);
}

TEST(Limits, OverridesDoNotLoosenIntegers) {
  Gate gate;
  gate.rel = 0.5;
  EXPECT_EQ(limits(gate, DType::float32, DType::float32).rel, 0.5);
  EXPECT_EQ(limits(gate, DType::int32, DType::int32).rel, 0);
  EXPECT_EQ(judged(integers({1000}), integers({1001}), gate).finding, Finding::values);
}

TEST(RelGate, JudgesTheWholeTensor) {
  const Judgement within = judged(floats({3, 4}), floats({3, 4.00004F}));
  EXPECT_EQ(within.finding, Finding::within);
  EXPECT_NEAR(within.used, 0.8, 0.05);
  EXPECT_EQ(judged(floats({3, 4}), floats({3, 4.0001F})).finding, Finding::values);
}

TEST(RelGate, ChecksTheWorstRow) {
  std::vector<float> a(64 * 4, 1.0F);
  std::vector<float> b = a;
  for (int i = 0; i < 4; ++i) b[static_cast<std::size_t>(i)] += 2e-5F;
  const Judgement judgement = judged(floats(a, {64, 4}), floats(b, {64, 4}));
  EXPECT_LT(judgement.comparison.rel_frobenius, 1e-5);
  EXPECT_EQ(judgement.finding, Finding::values);
  EXPECT_THAT(judgement.text, HasSubstr("row [0]"));
  EXPECT_EQ(judged(floats(a), floats(b)).finding, Finding::within) << "one dimension has no rows";
}

TEST(RelGate, AllowsRowsOneAndAHalfTimesTheLimit) {
  std::vector<float> a(64 * 4, 1.0F);
  std::vector<float> b = a;
  for (int i = 0; i < 4; ++i) b[static_cast<std::size_t>(i)] += 1.4e-5F;
  EXPECT_EQ(judged(floats(a, {64, 4}), floats(b, {64, 4})).finding, Finding::within);
}

TEST(RelGate, ZeroReferenceAllowsNothing) {
  const Judgement judgement = judged(floats({0, 0}), floats({0, 1e-30F}));
  EXPECT_EQ(judgement.finding, Finding::values);
  EXPECT_TRUE(std::isinf(judgement.used));
  EXPECT_TRUE(judged(floats({0, 0}), floats({0, -0.0F})).passes());
}

TEST(AllcloseGate, UsesTheReferenceForTheRelativePart) {
  Gate gate = gate_of(GateKind::allclose);
  gate.rtol = 0.1;
  gate.atol = 0;
  EXPECT_TRUE(judged(doubles({1.1, 2}), doubles({1, 2}), gate).passes());
  const Judgement judgement = judged(doubles({1, 2}), doubles({1.11, 2}), gate);
  EXPECT_EQ(judgement.finding, Finding::values);
  EXPECT_NEAR(judgement.used, 1.1, 1e-9);
  EXPECT_THAT(judgement.text, HasSubstr("1 of 2 elements out of the gate, the first at [0]"));
}

TEST(BitwiseGate, RefusesTheSignOfZero) {
  const Judgement judgement = judged(floats({-0.0F}), floats({0.0F}), gate_of(GateKind::bitwise));
  EXPECT_EQ(judgement.finding, Finding::values);
  EXPECT_THAT(judgement.text, HasSubstr("sign of zero"));
  EXPECT_EQ(judged(floats({-0.0F}), floats({0.0F})).finding, Finding::within);
}

TEST(BitwiseGate, WidensMixedDtypes) {
  EXPECT_EQ(judged(floats({1, 2}), doubles({1, 2}), gate_of(GateKind::bitwise)).finding, Finding::bit_equal);
  EXPECT_EQ(judged(floats({1, 2}), doubles({1, 2.1}), gate_of(GateKind::bitwise)).finding, Finding::values);
}

TEST(NonFinite, FollowsTheTable) {
  EXPECT_TRUE(judged(floats({nan}), floats({nan})).passes());
  EXPECT_EQ(judged(floats({nan}), floats({1})).finding, Finding::nonfinite);
  EXPECT_TRUE(judged(floats({inf}), floats({inf})).passes());
  EXPECT_EQ(judged(floats({inf}), floats({-inf})).finding, Finding::nonfinite);
  EXPECT_EQ(judged(floats({inf}), floats({1e38F})).finding, Finding::nonfinite);
  EXPECT_EQ(judged(floats({nan}), floats({inf})).finding, Finding::nonfinite);
}

TEST(NonFinite, FailsUnderEveryGate) {
  for (const GateKind kind : {GateKind::bitwise, GateKind::allclose, GateKind::rel}) {
    EXPECT_EQ(judged(floats({1, nan}), floats({1, 2}), gate_of(kind)).finding, Finding::nonfinite);
  }
}

TEST(NonFinite, NanCanBeMadeToDiffer) {
  Gate gate;
  gate.nan = NanPolicy::differ;
  EXPECT_EQ(judged(floats({1, nan}), floats({1, nan}), gate).finding, Finding::nonfinite);
  EXPECT_TRUE(judged(floats({1, 2}), floats({1, 2}), gate).passes());
}

TEST(NonFinite, SaysWhereAndWhat) {
  const Judgement judgement = judged(floats({1, 2, nan}), floats({1, 2, 3}));
  EXPECT_EQ(judgement.place, 2);
  EXPECT_EQ(judgement.b, 3);
  EXPECT_THAT(judgement.text, HasSubstr("NaN 1 | 0"));
}

TEST(Shapes, MustMatchExactly) {
  EXPECT_EQ(judged(floats({1, 1, 1}), floats({1, 1, 1}, {3, 1})).finding, Finding::shape);
  EXPECT_EQ(judged(floats({1}), testing::scalar(1)).finding, Finding::shape);
  EXPECT_EQ(judged(floats({1, 1, 1}), floats({1, 1, 1}, {3, 1})).text, "shape [3] | [3, 1]");
}

TEST(DTypes, ClassesNeverMeet) {
  EXPECT_EQ(judged(floats({1}), integers({1})).finding, Finding::dtype);
  const Tensor boolean{DType::boolean, {1}, bytes_of(std::vector<std::uint8_t>{1})};
  EXPECT_EQ(judged(integers({1}), boolean).finding, Finding::dtype);
}

TEST(DTypes, StrictRefusesAnyDifference) {
  Gate gate;
  gate.dtypes = DTypePolicy::differ;
  EXPECT_EQ(judged(floats({1}), doubles({1}), gate).finding, Finding::dtype);
  EXPECT_TRUE(judged(floats({1}), doubles({1})).passes());
}

TEST(DTypes, IntegersOfOtherWidthsCompareAsNumbers) {
  const Tensor small{DType::int32, {2}, bytes_of(std::vector<std::int32_t>{-1, 7})};
  EXPECT_EQ(judged(small, integers({-1, 7})).finding, Finding::bit_equal);
  EXPECT_EQ(judged(small, integers({-1, 8})).finding, Finding::values);
  const Tensor large{DType::uint64, {2}, bytes_of(std::vector<std::uint64_t>{~0ULL, 7})};
  EXPECT_EQ(judged(large, integers({-1, 7})).finding, Finding::dtype);
}

TEST(DTypes, ComplexOfOtherWidthsCompareAsNumbers) {
  const Tensor narrow{DType::complex64, {1}, bytes_of(std::vector<float>{1, 2})};
  EXPECT_TRUE(judged(narrow, {DType::complex128, {1}, bytes_of(std::vector<double>{1, 2})}).passes());
  EXPECT_FALSE(judged(narrow, {DType::complex128, {1}, bytes_of(std::vector<double>{1, 3})}).passes());
}

TEST(DTypes, Float8IsComparedBitForBit) {
  const Tensor one{DType::float8_e4m3fn, {2}, bytes_of(std::vector<std::uint8_t>{1, 2})};
  const Tensor two{DType::float8_e4m3fn, {2}, bytes_of(std::vector<std::uint8_t>{1, 3})};
  EXPECT_EQ(judged(one, one).finding, Finding::bit_equal);
  EXPECT_EQ(judged(one, two).finding, Finding::values);
}

TEST(Empty, TensorsAreEqual) {
  EXPECT_EQ(judged(floats({}, {0}), floats({}, {0})).finding, Finding::bit_equal);
  EXPECT_EQ(judged(floats({}, {0}), floats({}, {0, 2})).finding, Finding::shape);
}

TEST(Words, AreParsedOrRefused) {
  EXPECT_EQ(parse_gate_kind("allclose"), GateKind::allclose);
  EXPECT_EQ(parse_nan_policy("differ"), NanPolicy::differ);
  EXPECT_THROW(parse_gate_kind("close"), Error);
  EXPECT_THROW(parse_nan_policy("equal"), Error);
}

TEST(Words, DescribeTheGate) {
  Gate gate = gate_of(GateKind::allclose);
  gate.rtol = 1e-3;
  EXPECT_EQ(describe(gate), "allclose (rtol 0.001)");
  EXPECT_EQ(describe(gate, DType::float32, DType::float32), "allclose rtol 0.001 atol 1e-05");
  EXPECT_EQ(describe(Gate{}, DType::int64, DType::int64), "exact");
}

}  // namespace
}  // namespace goldentrace
