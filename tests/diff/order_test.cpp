// Order of judgement: model inputs, weights of the first step, then records in dataflow order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::integers;
using ::testing::IsEmpty;
using testing::MemoryTrace;

struct Changes {
  std::vector<std::int64_t> ids{1, 2, 3};
  float weight = 0.5F;
  float output = 2;
  std::int64_t step = 0;
};

// ids -> layer "a" (weight) -> layer "b" -> loss, one step.
void fill(MemoryTrace& trace, const Changes& changes) {
  const auto at_step = [&](RecordId id) {
    id.step = changes.step;
    return id;
  };
  const auto ids = trace.declare("ids", integers(changes.ids), changes.step);
  const auto weight = trace.add(at_step(id_of("a", Role::param, "weight")), floats({changes.weight, 1}));
  const auto output = trace.add(at_step(id_of("a", Role::output)), floats({changes.output, 1}), {ids, weight});
  const auto input = trace.add(at_step(id_of("b", Role::input)), floats({changes.output, 1}), {output});
  trace.add(at_step(id_of("b", Role::output)), floats({3, changes.output}), {input});
}

Report compare(const Changes& a, const Changes& b, const DiffOptions& options = {}) {
  MemoryTrace trace_a;
  MemoryTrace trace_b;
  fill(trace_a, a);
  fill(trace_b, b);
  return diff(trace_a.view(), trace_b.view(), options);
}

TEST(Order, UnchangedPairsAreCertifiedAltogether) {
  const Report report = compare({}, {});
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.compared, 5);
  EXPECT_EQ(report.certified_prefix, 5);
  EXPECT_EQ(report.bitwise_equal, 5);
}

TEST(Order, ProgramsThatNameNoInputAlikeAreIncomparable) {
  MemoryTrace a;
  MemoryTrace b;
  for (const auto& [trace, name] : {std::pair{&a, "ids"}, std::pair{&b, "x"}}) {
    const auto input = trace->declare(name, integers({1, 2}));
    trace->add(id_of("loss", Role::output), floats({1, 2}), {input});
  }
  const Report report = diff(a.view(), b.view(), {});
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_EQ(report.reason, "inputs differ: A declares ids, B declares x");
}

TEST(Order, OtherInputsAreIncomparable) {
  Changes other;
  other.ids = {1, 9, 3};
  other.weight = 7;
  const Report report = compare({}, other);
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_EQ(report.verdict, Verdict::incomparable);
  EXPECT_THAT(report.reason, HasSubstr("inputs differ: ids"));
  EXPECT_THAT(report.reason, HasSubstr("at [1]"));
  EXPECT_THAT(report.roots, IsEmpty());
}

TEST(Order, InputsOfAnotherShapeNameBothShapes) {
  Changes other;
  other.ids = {1, 2};
  EXPECT_THAT(compare({}, other).reason, HasSubstr("shape [3] | [2]"));
}

TEST(Order, ExternalTensorsAreInputsOfUnchangedPrograms) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    trace->add(id_of("x", Role::input), floats({trace == &a ? 1.0F : 2.0F}));
    trace->records.back().external = true;
    trace->add(id_of("x", Role::output), floats({1}), {0});
  }
  EXPECT_EQ(exit_code(diff(a.view(), b.view())), 2);
}

TEST(Order, InputsCastToAnotherFloatingTypeAreNoOtherData) {
  MemoryTrace a;
  MemoryTrace b;
  a.declare("x", floats({1.001F}));
  b.declare("x", {DType::bfloat16, {1}, testing::bytes_of(std::vector<std::uint16_t>{0x3f80})});
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("x", Role::output), floats({1}), {0});
  EXPECT_EQ(exit_code(diff(a.view(), b.view())), 0);
}

TEST(Order, AWeightThatDiffersByOneUlpIsTheFirstDivergence) {
  Changes other;
  other.weight = std::nextafter(0.5F, 1.0F);
  const Report report = compare({}, other);
  EXPECT_EQ(exit_code(report), 1);
  ASSERT_EQ(report.roots.size(), 1U);
  EXPECT_EQ(report.roots[0].origin, Origin::weight);
  EXPECT_EQ(report.roots[0].pair.id.role, Role::param);
  EXPECT_EQ(report.roots[0].pair.id.layer, "a");
  EXPECT_EQ(report.roots[0].pair.gate, "equal values");
  EXPECT_THAT(to_text(report), HasSubstr("later layers follow from it"));
}

TEST(Order, WhatFollowsFromAWeightIsCounted) {
  Changes other;
  other.weight = 0.75F;
  other.output = 2.5F;
  const Report report = compare({}, other);
  EXPECT_EQ(report.roots.size(), 1U);
  EXPECT_EQ(report.followers, 3);
  EXPECT_EQ(report.mismatched, 4);
  EXPECT_EQ(report.certified_prefix, 1);
}

TEST(Order, ARuleForParametersLoosensTheWeights) {
  Changes other;
  other.weight = std::nextafter(0.5F, 1.0F);
  DiffOptions options;
  options.rules = parse_rules("[[rule]]\nrole = \"param\"\ngate = \"rel\"\n", "r.toml");
  EXPECT_EQ(exit_code(compare({}, other, options)), 0);
  options.rules = parse_rules("[[rule]]\nlayer = \"a\"\ngate = \"rel\"\n", "r.toml");
  EXPECT_EQ(exit_code(compare({}, other, options)), 1) << "a rule that does not name the role does not";
}

TEST(Order, EqualWeightsOfAnotherDtypeAreEqual) {
  MemoryTrace a;
  MemoryTrace b;
  a.add(id_of("x", Role::param, "w"), floats({0.5F}));
  b.add(id_of("x", Role::param, "w"), testing::doubles({0.5}));
  EXPECT_EQ(exit_code(diff(a.view(), b.view())), 0);
}

TEST(Order, ParametersOfALaterStepAreJudgedByTheGate) {
  Changes first;
  Changes other;
  first.step = other.step = 3;
  other.weight = std::nextafter(0.5F, 1.0F);
  MemoryTrace a;
  MemoryTrace b;
  fill(a, first);
  fill(b, other);
  EXPECT_EQ(exit_code(diff(a.view(), b.view())), 1) << "the run began with step 3";
  a.header["capture.steps"] = b.header["capture.steps"] = "3";
  EXPECT_EQ(exit_code(diff(a.view(), b.view())), 0);
}

TEST(Order, RulesChangeTheGateOfALayer) {
  Changes other;
  other.output = 2.1F;
  DiffOptions options;
  options.rules = parse_rules("[[rule]]\nlayer = \"?\"\nrel = 0.5\n", "r.toml");
  EXPECT_EQ(exit_code(compare({}, other, options)), 0);
  EXPECT_THAT(to_text(compare({}, other, options)), HasSubstr("with the rules of r.toml"));
}

TEST(Order, ARuleThatSpeaksOfNoRecordIsNoted) {
  DiffOptions options;
  options.rules = parse_rules("[[rule]]\nlayer = \"zzz\"\nrel = 0.5\n", "r.toml");
  EXPECT_THAT(compare({}, {}, options).notes, Contains(HasSubstr("rule at r.toml line 1 speaks of no record")));
}

TEST(Order, TheFilterRestrictsWhatIsJudged) {
  Changes other;
  other.output = 2.5F;
  DiffOptions options;
  options.filter = "b";
  const Report report = compare({}, other, options);
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots[0].pair.id.layer, "b");
  EXPECT_EQ(report.roots[0].origin, Origin::inherited);
  options.filter = "c";
  EXPECT_EQ(exit_code(compare({}, other, options)), 2);
  EXPECT_THAT(compare({}, other, options).reason, HasSubstr("'c'"));
  options.filter = "b";
  other.ids = {4};
  EXPECT_EQ(exit_code(compare({}, other, options)), 2) << "inputs are judged whatever the filter";
}

TEST(Order, HeaderDifferencesAreListed) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, {});
  fill(b, {});
  a.header = {{"model.eps", "1e-05"}, {"run.seed", "1"}};
  b.header = {{"model.eps", "1e-06"}, {"run.seed", "1"}};
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 0);
  ASSERT_EQ(report.header.size(), 1U);
  EXPECT_THAT(to_text(report), HasSubstr("1e-05 | 1e-06"));
}

TEST(Order, EqualTracesReadNoPayload) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, {});
  fill(b, {});
  EXPECT_EQ(exit_code(diff(a.view(), b.view())), 0);
  EXPECT_EQ(a.payloads_read + b.payloads_read, 0);
}

TEST(Order, AllcloseWithoutPayloadNamesTheTensor) {
  MemoryTrace a;
  MemoryTrace b;
  a.with_payload = b.with_payload = false;
  a.add(id_of("x", Role::output), floats(std::vector<float>(1000, 1.0F)));
  b.add(id_of("x", Role::output), floats(std::vector<float>(1000, 1.1F)));
  DiffOptions options;
  options.gate.kind = GateKind::allclose;
  const Report report = diff(a.view(), b.view(), options);
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_THAT(report.reason, HasSubstr("forward · x · output 0"));
  const Report estimated = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(estimated), 1);
  EXPECT_TRUE(estimated.roots[0].pair.judgement.estimated);
  EXPECT_THAT(to_text(estimated), HasSubstr("estimated relative error"));
}

TEST(Order, AbsorbedDifferencesAreListedAndPass) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const auto scores = trace->add(id_of("scores", Role::output), floats({1, trace == &a ? 2.0F : 3.0F}));
    trace->add(id_of("probs", Role::output), floats({0.5F, 0.5F}), {scores});
  }
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.absorbed, 1);
  EXPECT_EQ(report.mismatched, 0);
  EXPECT_EQ(report.certified_prefix, 2);
  EXPECT_THAT(to_text(report), HasSubstr("SAME: 2 records compared, 1 agree, 1 difference absorbed"));
}

TEST(Order, CountsAddUp) {
  Changes other;
  other.output = std::nextafter(2.0F, 3.0F);
  const Report report = compare({}, other);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.within_gate, 3);
  EXPECT_EQ(report.bitwise_equal + report.within_gate + report.mismatched + report.absorbed, report.compared);
}

}  // namespace
}  // namespace goldentrace
