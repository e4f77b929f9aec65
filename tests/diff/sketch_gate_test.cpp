#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "diff/fingerprint_judge.h"
#include "diff/pair_judge.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using testing::floats;
using ::testing::HasSubstr;
using testing::MemoryTrace;
using testing::Tensor;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> wave(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(1.0F + 0.37F * static_cast<float>(i));
  return values;
}

std::vector<float> scaled(std::vector<float> values, float factor) {
  for (float& each : values) each *= factor;
  return values;
}

// Judges two tensors whose payloads were not recorded.
Judgement from_sketches(const Tensor& a, const Tensor& b, const Gate& gate = {}) {
  MemoryTrace trace_a;
  MemoryTrace trace_b;
  trace_a.with_payload = trace_b.with_payload = false;
  trace_a.add(testing::id_of("x", Role::output), a);
  trace_b.add(testing::id_of("x", Role::output), b);
  return judge_pair(trace_a.view(), trace_b.view(), {{0, 0}, &gate});
}

Gate gate_of(GateKind kind) {
  Gate gate;
  gate.kind = kind;
  return gate;
}

TEST(SketchGate, EqualHashesAreBitEqual) {
  const Tensor tensor = floats(wave(4096));
  EXPECT_EQ(from_sketches(tensor, tensor).finding, Finding::bit_equal);
  EXPECT_EQ(from_sketches(tensor, tensor, gate_of(GateKind::allclose)).finding, Finding::bit_equal);
}

TEST(SketchGate, EstimatesTheRelativeError) {
  const Judgement judgement = from_sketches(floats(wave(4096)), floats(scaled(wave(4096), 1.01F)));
  EXPECT_EQ(judgement.finding, Finding::values);
  EXPECT_TRUE(judgement.estimated);
  EXPECT_NEAR(judgement.comparison.rel_frobenius, 0.01, 0.003);
  EXPECT_THAT(judgement.text, HasSubstr("estimated"));
}

TEST(SketchGate, LeavesRoomForFourDeviations) {
  const Tensor a = floats(wave(4096));
  const Tensor b = floats(scaled(wave(4096), 1.001F));
  Gate gate;
  gate.rel = 0.001;
  const Judgement tight = from_sketches(a, b, gate);
  gate.rel = 1e-3 * 2;
  const Judgement loose = from_sketches(a, b, gate);
  const double safety = 1 + 4 / std::sqrt(512.0);
  EXPECT_NEAR(tight.used, safety * tight.comparison.rel_frobenius / 0.001, 1e-9);
  EXPECT_EQ(loose.finding, Finding::within);
}

TEST(SketchGate, UnequalHashesAreNeverBitEqual) {
  std::vector<float> values = wave(4096);
  values[7] = std::nextafter(values[7], 2.0F);
  EXPECT_EQ(from_sketches(floats(wave(4096)), floats(values)).finding, Finding::within);
  EXPECT_EQ(from_sketches(floats(wave(4096)), floats(values), gate_of(GateKind::bitwise)).finding, Finding::values);
}

TEST(SketchGate, AllcloseNeedsThePayload) {
  const Judgement judgement =
      from_sketches(floats(wave(4096)), floats(scaled(wave(4096), 1.01F)), gate_of(GateKind::allclose));
  EXPECT_EQ(judgement.finding, Finding::undecidable);
}

TEST(SketchGate, SmallTensorsAreKeptWhole) {
  const Judgement judgement = from_sketches(floats({1, 2}), floats({1, 2.5F}), gate_of(GateKind::allclose));
  EXPECT_EQ(judgement.finding, Finding::values);
  EXPECT_FALSE(judgement.estimated);
  EXPECT_EQ(judgement.a, 2);
  EXPECT_EQ(judgement.b, 2.5);
}

TEST(SketchGate, SmallHalfTensorsKeepTheirUlps) {
  const Tensor one{DType::float16, {2}, testing::bytes_of(std::vector<std::uint16_t>{0x3c00, 0x0001})};
  const Tensor two{DType::float16, {2}, testing::bytes_of(std::vector<std::uint16_t>{0x3c02, 0x0001})};
  EXPECT_EQ(from_sketches(one, two).comparison.max_ulp, 2U);
  const Tensor three{DType::bfloat16, {1}, testing::bytes_of(std::vector<std::uint16_t>{0x3f80})};
  const Tensor four{DType::bfloat16, {1}, testing::bytes_of(std::vector<std::uint16_t>{0x3f83})};
  EXPECT_EQ(from_sketches(three, four).comparison.max_ulp, 3U);
}

TEST(SketchGate, IntegersAreDecidedByHash) {
  EXPECT_EQ(from_sketches(testing::integers({1}), testing::integers({2})).finding, Finding::values);
}

TEST(SketchGate, CountsOfNanDecideFirst) {
  std::vector<float> values = wave(4096);
  values[3] = nan;
  EXPECT_EQ(from_sketches(floats(wave(4096)), floats(values)).finding, Finding::nonfinite);
}

const Gate rel;

TEST(SketchGate, OtherSizesCannotBeCompared) {
  MemoryTrace a;
  MemoryTrace b;
  a.with_payload = b.with_payload = false;
  b.sketch_size = 128;
  a.add(testing::id_of("x", Role::output), floats(wave(4096)));
  b.add(testing::id_of("x", Role::output), floats(scaled(wave(4096), 1.01F)));
  EXPECT_EQ(judge_pair(a.view(), b.view(), {{0, 0}, &rel}).finding, Finding::undecidable);
  b.with_payload = true;
  EXPECT_EQ(judge_pair(a.view(), b.view(), {{0, 0}, &rel}).finding, Finding::values) << "made from the payload";
}

TEST(SketchGate, EqualHashesReadNoPayload) {
  MemoryTrace a;
  MemoryTrace b;
  a.add(testing::id_of("x", Role::output), floats(wave(4096)));
  b.add(testing::id_of("x", Role::output), floats(wave(4096)));
  EXPECT_EQ(judge_pair(a.view(), b.view(), {{0, 0}, &rel}).finding, Finding::bit_equal);
  EXPECT_EQ(a.payloads_read + b.payloads_read, 0);
}

}  // namespace
}  // namespace goldentrace
