// What public bug reports about compare tools ask for: each case with its exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using testing::bytes_of;
using ::testing::Contains;
using testing::doubles;
using ::testing::ElementsAre;
using ::testing::Field;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using ::testing::IsEmpty;
using testing::MemoryTrace;
using ::testing::Not;
using testing::scalar;
using testing::Tensor;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

// Two traces with equal inputs and one tap.
Report one_tap(const Tensor& a, const Tensor& b, const DiffOptions& options = {}) {
  MemoryTrace trace_a;
  MemoryTrace trace_b;
  for (const auto& [trace, tensor] : {std::pair(&trace_a, &a), std::pair(&trace_b, &b)}) {
    const auto input = trace->declare("x", floats({1, 2}));
    trace->add(id_of("tap", Role::output), *tensor, {input});
  }
  return diff(trace_a.view(), trace_b.view(), options);
}

DiffOptions with_gate(GateKind kind) {
  DiffOptions options;
  options.gate.kind = kind;
  return options;
}

auto hint_says(const std::string& text) { return Contains(Field(&Diagnosis::text, HasSubstr(text))); }

// --- F01: relative error next to zero

TEST(CaseF01, HeadlineIsRelativeToTheLargerMagnitude) {
  const Report report = one_tap(floats({0, 1}), floats({0, 2}));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_DOUBLE_EQ(report.roots[0].pair.judgement.comparison.max_rel, 0.5);
  EXPECT_THAT(to_text(report), HasSubstr("max rel 0.5 (of the larger magnitude)"));
}

TEST(CaseF01, ATinyValueAgainstZeroIsNoDivergence) {
  const Report report = one_tap(floats({0, 1}), floats({1e-9F, 1}));
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_THAT(to_text(report), Not(HasSubstr(" inf")));
}

TEST(CaseF01, AZeroReferenceIsCalledUndefined) {
  const Report report = one_tap(floats({0, 0}), floats({0, 2}));
  EXPECT_THAT(to_text(report), HasSubstr("undefined (reference is zero)"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("inf")));
}

// --- F03: broadcasting hides shape bugs

TEST(CaseF03, ShapesMustMatch) {
  const std::vector<std::pair<Tensor, Tensor>> pairs = {
      {floats({1, 1, 1}), floats({1, 1, 1}, {3, 1})},
      {floats({1, 2, 3, 4}, {1, 4}), floats({1, 2, 3, 4, 1, 2, 3, 4}, {2, 4})},
      {scalar(1), floats({1})},
  };
  for (const auto& [a, b] : pairs) {
    for (const GateKind kind : {GateKind::rel, GateKind::allclose, GateKind::bitwise}) {
      const Report report = one_tap(a, b, with_gate(kind));
      EXPECT_EQ(exit_code(report), 1);
      EXPECT_EQ(report.roots[0].pair.judgement.finding, Finding::shape);
      EXPECT_FALSE(report.roots[0].pair.judgement.measured) << "no statistics of a broadcast";
    }
  }
  EXPECT_THAT(to_text(one_tap(pairs[0].first, pairs[0].second)), HasSubstr("shape [3] | [3, 1]"));
}

// --- F05: the table of NaN and infinity

TEST(CaseF05, FollowsTheTable) {
  EXPECT_EQ(exit_code(one_tap(floats({nan}), floats({nan}))), 0);
  EXPECT_EQ(exit_code(one_tap(floats({nan}), floats({1}))), 1);
  EXPECT_EQ(exit_code(one_tap(floats({inf}), floats({inf}))), 0);
  EXPECT_EQ(exit_code(one_tap(floats({inf}), floats({-inf}))), 1);
  EXPECT_EQ(exit_code(one_tap(floats({inf}), floats({1e38F}))), 1);
  EXPECT_EQ(exit_code(one_tap(floats({nan}), floats({inf}))), 1);
}

TEST(CaseF05, AnOptionMakesNanDiffer) {
  DiffOptions options;
  options.gate.nan = NanPolicy::differ;
  const Report report = one_tap(floats({1, nan}), floats({1, nan}), options);
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(to_text(report), HasSubstr("NaN differs from NaN"));
  EXPECT_THAT(to_text(one_tap(floats({1}), floats({1}))), HasSubstr("NaN equals NaN"));
}

TEST(CaseF05, ReportsCountsFirstIndexAndFinitePairs) {
  const Report report = one_tap(floats({1, nan, inf, 4}), floats({1, nan, inf, 5}));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots[0].pair.judgement.comparison.max_abs, 1);
  EXPECT_THAT(to_text(report), HasSubstr("NaN 1 | 1, Inf 1 | 1"));
  EXPECT_THAT(to_text(report), HasSubstr("first non-finite value of A: step 0 · micro 0 · rank 0 · forward · tap · "
                                         "output 0 [1] is NaN"));
  EXPECT_THAT(to_text(one_tap(floats({1, 2, inf}), floats({1, 2, 3}))), HasSubstr("the first at [2]"));
}

// --- F07: signed zero

TEST(CaseF07, OnlyTheBitwiseGateSeesTheSignOfZero) {
  EXPECT_EQ(exit_code(one_tap(floats({-0.0F}), floats({0.0F}))), 0);
  EXPECT_EQ(exit_code(one_tap(floats({-0.0F}), floats({0.0F}), with_gate(GateKind::allclose))), 0);
  const Report report = one_tap(floats({-0.0F}), floats({0.0F}), with_gate(GateKind::bitwise));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.diagnosis, hint_says("sign of zero"));
}

// --- F09: cosine says 1.0 for a scaled tensor

TEST(CaseF09, ScalesAreSeen) {
  const Report twice = one_tap(floats({1, 2, 3}), floats({2, 4, 6}));
  EXPECT_EQ(exit_code(twice), 1);
  EXPECT_THAT(twice.diagnosis, hint_says("ratio 2.0"));
  const Report negated = one_tap(floats({1, 2, 3}), floats({-1, -2, -3}));
  EXPECT_EQ(exit_code(negated), 1);
  EXPECT_THAT(negated.diagnosis, hint_says("ratio -1.0"));
  EXPECT_EQ(exit_code(one_tap(floats({0, 0}), floats({0, 0}))), 0);
  EXPECT_EQ(exit_code(one_tap(floats({0, 0}), floats({0, 1}))), 1);
}

// --- F11: dtype differs, values equal

TEST(CaseF11, EqualValuesOfAnotherDtypeAreANote) {
  const Report report = one_tap(floats({1, 1}), doubles({1, 1}));
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_THAT(report.notes, ElementsAre("1 record: float32 against float64"));
}

TEST(CaseF11, Bfloat16AgainstFloat32) {
  const Tensor half{DType::bfloat16, {2}, bytes_of(std::vector<std::uint16_t>{0x3f80, 0x4000})};
  EXPECT_EQ(exit_code(one_tap(half, floats({1, 2}))), 0);
}

TEST(CaseF11, StrictNamesTheFirstTap) {
  DiffOptions options;
  options.gate.dtypes = DTypePolicy::differ;
  const Report report = one_tap(floats({1, 1}), doubles({1, 1}), options);
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots[0].pair.id.layer, "tap");
  EXPECT_EQ(report.roots[0].pair.judgement.text, "dtype float32 | float64");
}

// --- E15: exit codes as an anti-pattern

TEST(CaseE15, WhatCannotBeComparedIsNeverGreen) {
  EXPECT_EQ(exit_code(one_tap(floats({1, 2, 3}), floats({1, 2, 3}, {3, 1}))), 1);
  const Tensor numbers{DType::int32, {2}, bytes_of(std::vector<std::int32_t>{1, 2})};
  const Report classes = one_tap(floats({1, 2}), numbers);
  EXPECT_EQ(exit_code(classes), 1);
  EXPECT_THAT(to_text(classes), HasSubstr("float32 | int32"));
}

TEST(CaseE15, EmptyAgainstEmptyIsOneComparedTensor) {
  const Report report = one_tap(floats({}, {0}), floats({}, {0}));
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.compared, 2) << "the input and the tap";
}

TEST(CaseE15, AMissingTapIsNamed) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("kept", Role::output), floats({1}));
  a.add(id_of("lost", Role::output), floats({1}));
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.reason, "missing: 1");
  EXPECT_THAT(report.roots, IsEmpty());
  EXPECT_THAT(to_text(report), HasSubstr("forward · lost · output 0"));
}

// --- B01: 45 % of the elements of an fp16 LayerNorm mismatch

constexpr std::size_t b01_count = 640;

std::vector<std::uint16_t> between_one_and_two() {
  std::vector<std::uint16_t> bits(b01_count);
  for (std::size_t i = 0; i < b01_count; ++i) bits[i] = static_cast<std::uint16_t>(0x3c00 + (i * 37) % 1000);
  bits[639] = 0x1fae;  // 0.0075
  return bits;
}

Tensor half(const std::vector<std::uint16_t>& bits) { return {DType::float16, {64, 10}, bytes_of(bits)}; }

std::vector<std::uint16_t> with_steps_of_one_ulp() {
  std::vector<std::uint16_t> bits = between_one_and_two();
  for (std::size_t i = 0; i < 289; ++i) ++bits[i * 2];
  bits[639] = 0x205a;  // 0.0085
  return bits;
}

TEST(CaseB01, NoiseIsJudgedAtTheScaleOfTheTensor) {
  const Report report = one_tap(half(between_one_and_two()), half(with_steps_of_one_ulp()));
  EXPECT_EQ(exit_code(report), 0);
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("290 of 640 differ"));
  EXPECT_THAT(text, HasSubstr("about 1 ulp at the tensor's scale"));
  EXPECT_THAT(text, HasSubstr("172 ulp apart (near zero)"));
}

TEST(CaseB01, TheBitwiseGateCounts) {
  const Report report =
      one_tap(half(between_one_and_two()), half(with_steps_of_one_ulp()), with_gate(GateKind::bitwise));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(to_text(report), HasSubstr("290 of 640"));
}

TEST(CaseB01, ARowOffByOnePercentIsAFault) {
  std::vector<std::uint16_t> bits = between_one_and_two();
  for (std::size_t i = 0; i < 10; ++i) bits[i] = static_cast<std::uint16_t>(bits[i] + 14);
  EXPECT_EQ(exit_code(one_tap(half(between_one_and_two()), half(bits))), 1);
}

// --- B05: the first non-finite value of each trace is reported, even when both have one

TEST(CaseB05, TheFirstNonFiniteValueIsReportedWhateverTheVerdict) {
  const Report report = one_tap(floats({1, -inf}), floats({1, -inf}));
  EXPECT_EQ(exit_code(report), 0);
  ASSERT_TRUE(report.nonfinite_a && report.nonfinite_b);
  EXPECT_EQ(report.nonfinite_a->flat_index, 1);
}

TEST(CaseB05, NanFurtherDownIsNotTheOrigin) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const bool faulty = trace == &b;
    const auto scores = trace->add(id_of("scores", Role::output), floats({1, faulty ? inf : 2}));
    trace->add(id_of("probs", Role::output), floats({faulty ? nan : 1, 2}), {scores});
  }
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots[0].pair.id.layer, "scores");
  EXPECT_EQ(report.nonfinite_b->id.layer, "scores");
  EXPECT_FALSE(report.nonfinite_a);
}

// --- C03: the loss of an incomplete accumulation window

TEST(CaseC03, TheRatioIsAFraction) {
  MemoryTrace a;
  MemoryTrace b;
  const std::vector<float> losses{0.542576F, 0.516416F, 0.493361F};
  for (MemoryTrace* trace : {&a, &b}) {
    for (std::int64_t step = 0; step < 3; ++step) {
      RecordId loss = id_of("loss", Role::loss);
      loss.step = step;
      RecordId output = id_of("layers.2", Role::output);
      output.step = step;
      const auto made = trace->add(output, floats({static_cast<float>(step), 1}));
      const float factor = step == 2 && trace == &b ? 0.5F : 1.0F;
      trace->add(loss, scalar(losses[static_cast<std::size_t>(step)] * factor), {made});
    }
  }
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(describe(report.roots[0].pair.id), "step 2 · micro 0 · rank 0 · forward · loss · loss 0");
  EXPECT_THAT(report.diagnosis, hint_says("1/2"));
  EXPECT_EQ(report.certified_prefix, 5);
}

// --- D03: one module called several times

TEST(CaseD03, TheCallIsNamed) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    std::vector<std::int64_t> producers;
    for (std::int32_t call = 0; call < 3; ++call) {
      RecordId id = id_of("shared", Role::output);
      id.call = call;
      const float value = std::pow(2.0F, static_cast<float>(call + 1));
      const bool changed = trace == &b && call >= 1;
      producers = {trace->add(id, floats({changed ? 1.5F * value : value}), producers)};
    }
  }
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots[0].pair.id.call, 1);
  EXPECT_THAT(to_text(report), HasSubstr("shared#1"));
  EXPECT_THAT(report.roots[0].replay_command, HasSubstr("--call 1"));
}

TEST(CaseD03, OtherCallCountsAreExtraCalls) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    for (std::int32_t call = 0; call < (trace == &a ? 2 : 3); ++call) {
      RecordId id = id_of("shared", Role::output);
      id.call = call;
      trace->add(id, floats({1}));
    }
  }
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.reason, "extra: 1");
  EXPECT_EQ(report.extra[0].call, 2);
}

// --- D07: a trace that is a subset must not compare as equal

void add_layers(MemoryTrace& trace, int count) {
  const auto input = trace.declare("x", floats({1, 2}));
  for (int i = 0; i < count; ++i) {
    trace.add(id_of("layers." + std::to_string(i), Role::output), floats({static_cast<float>(i), 1}), {input});
  }
}

TEST(CaseD07, MissingLayersAreListedByName) {
  MemoryTrace a;
  MemoryTrace b;
  add_layers(a, 3);
  add_layers(b, 1);
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.reason, "missing: 2");
  EXPECT_EQ(report.bitwise_equal, 2);
  EXPECT_THAT(to_text(report), HasSubstr("layers.1"));
  EXPECT_THAT(to_text(report), HasSubstr("layers.2"));
}

TEST(CaseD07, NothingComparedIsNeverEqual) {
  MemoryTrace a;
  MemoryTrace b;
  add_layers(a, 3);
  add_layers(b, 0);
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_THAT(report.reason, HasSubstr("nothing compared"));
  const MemoryTrace empty;
  EXPECT_EQ(exit_code(diff(empty.view(), empty.view())), 2);
}

// --- A15: the head re-uses the embedding

TEST(CaseA15, SaysWhichParameterTheHeadEquals) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const auto wte = trace->add(id_of("wte", Role::param, "weight"), floats({1, 2, 3}));
    const auto hidden = trace->add(id_of("wte", Role::output), floats({1, 1}), {wte});
    const bool tied = trace == &b;
    const auto head = trace->add(id_of("lm_head", Role::param, tied ? "wte.weight" : "lm_head.weight"),
                                 floats(tied ? std::vector<float>{1, 2, 3} : std::vector<float>{4, 5, 7}));
    trace->add(id_of("lm_head", Role::output), floats({tied ? 1.0F : 2.0F}), {hidden, head});
  }
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots[0].pair.id.layer, "lm_head");
  EXPECT_EQ(report.roots[0].origin, Origin::weight);
  EXPECT_THAT(report.diagnosis, hint_says("B's lm_head wte.weight equals B's wte weight"));
}

}  // namespace
}  // namespace goldentrace
