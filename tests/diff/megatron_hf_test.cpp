// The relation megatron-hf on traces of both shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "diff/diff.h"
#include "diff/json_report.h"
#include "diff/text_report.h"
#include "tests/diff/two_shapes.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;
using testing::TwoShapes;
using testing::Values;

DiffOptions bitwise() {
  DiffOptions options;
  options.gate.kind = GateKind::bitwise;
  return options;
}

TEST(MegatronHf, EveryLayerOfTheConversionIsCertified) {
  const TwoShapes shapes;
  const Report report = diff(shapes.a.view(), shapes.b.view(), bitwise());
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_EQ(report.layers_certified, report.layers);
  EXPECT_THAT(report.reason, HasSubstr("all 36 layers certified, 7 left out by the relation"));
  EXPECT_EQ(report.bitwise_equal, report.compared);
  EXPECT_TRUE(report.missing.empty() && report.extra.empty());
  EXPECT_THAT(to_text(report), HasSubstr("relation megatron-hf (chosen from the headers): A is megatron, B is hf"));
}

TEST(MegatronHf, WorksInTheOtherDirection) {
  const TwoShapes shapes;
  const Report report = diff(shapes.b.view(), shapes.a.view(), bitwise());
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_THAT(to_text(report), HasSubstr("A is hf, B is megatron"));
}

TEST(MegatronHf, CanBeSwitchedOff) {
  const TwoShapes shapes;
  DiffOptions options;
  options.relation_use = RelationUse::identity;
  const Report report = diff(shapes.a.view(), shapes.b.view(), options);
  EXPECT_NE(report.verdict, Verdict::same);
}

TEST(MegatronHf, EveryRecordIsPairedOrListed) {
  const TwoShapes shapes;
  const Report report = diff(shapes.a.view(), shapes.b.view());
  std::size_t left_a = 0;
  for (const LeftOutReport& each : report.relation.left_out) left_a += each.side == "A" ? 1 : 0;
  const auto compared = static_cast<std::size_t>(report.compared);
  EXPECT_EQ(compared + left_a, shapes.a.records.size());
  EXPECT_EQ(compared + report.relation.left_out.size() - left_a, shapes.b.records.size());
}

TEST(MegatronHf, RawLayoutsThatAgreeAreADifference) {
  const TwoShapes shapes({}, [](const std::string& name, Values& value) {
    if (name != "h.0.attn.c_attn.bias") return;
    // Rows as Megatron keeps them: (n, 3, d).
    value = testing::reshaped(testing::permuted(testing::reshaped(value, {3, 2, 4}), {1, 0, 2}), {24});
  });
  const Report report = diff(shapes.a.view(), shapes.b.view());
  ASSERT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.roots.front().pair.id.layer, "layers.0.self_attention.query_key_value");
  EXPECT_EQ(report.roots.front().pair.id.index, "bias");
  EXPECT_EQ(report.roots.front().origin, Origin::weight);
  EXPECT_EQ(report.roots.front().pair.id_b.layer, "h.0.attn.c_attn");
  EXPECT_THAT(to_text(report),
              HasSubstr("in B        step 0 · micro 0 · rank 0 · forward · h.0.attn.c_attn · param bias"));
}

TEST(MegatronHf, PaddedVocabularyIsComparedInPart) {
  testing::TwoShapesOptions options;
  options.padded = 16;
  const TwoShapes shapes(options);
  const Report report = diff(shapes.a.view(), shapes.b.view(), bitwise());
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_THAT(to_text(report), HasSubstr("logits output: 11 of 16 entries of axis 2 (vocabulary padding)"));
}

TEST(MegatronHf, ALossOverThePaddingIsNamed) {
  testing::TwoShapesOptions options;
  options.padded = 16;
  TwoShapes shapes(options);
  for (std::size_t row = 0; row < shapes.b.records.size(); ++row) {
    if (shapes.b.records[row].id.role != Role::loss) continue;
    const float other = 2.37F;
    std::memcpy(shapes.b.payloads[row].data(), &other, sizeof other);
    shapes.b.records[row].fingerprint = fingerprint(shapes.b.payloads[row], DType::float32);
  }
  const Report report = diff(shapes.a.view(), shapes.b.view());
  ASSERT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.roots.front().pair.id.layer, "loss");
  EXPECT_THAT(to_text(report), HasSubstr("padded vocabulary in log-sum-exp: input 0, 11 of 16 entries of axis 2"));
}

TEST(MegatronHf, MaskedScoresDoNotCount) {
  TwoShapes shapes;
  // The last score of the first row: masked, as its probability is zero on both sides.
  const auto poke = [&](std::size_t element) {
    for (std::size_t row = 0; row < shapes.b.records.size(); ++row) {
      const RecordId& id = shapes.b.records[row].id;
      if (id.layer != "h.0.attn.scores" || id.role != Role::output) continue;
      const float other = -3.4e38F;
      std::memcpy(shapes.b.payloads[row].data() + element * sizeof(float), &other, sizeof other);
      shapes.b.records[row].fingerprint = fingerprint(shapes.b.payloads[row], DType::float32);
    }
  };
  poke(4);
  EXPECT_EQ(diff(shapes.a.view(), shapes.b.view(), bitwise()).verdict, Verdict::same);
  poke(0);
  const Report report = diff(shapes.a.view(), shapes.b.view(), bitwise());
  ASSERT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.mismatches.front().id.layer, "layers.0.self_attention.scores");
}

TEST(MegatronHf, PayloadOnOneSideIsEnough) {
  for (const bool with_a : {true, false}) {
    TwoShapes shapes;
    shapes.a.sketch_size = shapes.b.sketch_size = 4;
    for (testing::MemoryTrace* trace : {&shapes.a, &shapes.b}) {
      for (std::size_t row = 0; row < trace->records.size(); ++row) {
        Record& record = trace->records[row];
        record.fingerprint = fingerprint(trace->payloads[row], record.dtype, {4});
      }
    }
    (with_a ? shapes.b : shapes.a).with_payload = false;
    DiffOptions options;
    // Sums and cuts cannot be undone: of these both payloads are needed.
    options.filter = "*layernorm";
    const Report report = diff(shapes.a.view(), shapes.b.view(), options);
    EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
    EXPECT_EQ(report.bitwise_equal, report.compared);
  }
}

TEST(MegatronHf, WithoutAnyPayloadTheTensorIsNamed) {
  TwoShapes shapes;
  for (testing::MemoryTrace* trace : {&shapes.a, &shapes.b}) {
    trace->with_payload = false;
    for (std::size_t row = 0; row < trace->records.size(); ++row) {
      Record& record = trace->records[row];
      record.fingerprint = fingerprint(trace->payloads[row], record.dtype, {4});
    }
  }
  const Report report = diff(shapes.a.view(), shapes.b.view());
  EXPECT_EQ(report.verdict, Verdict::incomparable);
  EXPECT_THAT(report.reason, HasSubstr("needs the payload of one side at least"));
}

}  // namespace
}  // namespace goldentrace
