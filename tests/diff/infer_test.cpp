// Relations found by content: renamed and shuffled layers, other layouts, equal contents.
#include "diff/relation/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/two_shapes.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using ::testing::IsEmpty;
using testing::MemoryTrace;
using ::testing::Not;
using testing::transposed;
using testing::TwoShapes;
using testing::Values;

constexpr int blocks = 5;

// Where block i of the original is found in the copy.
int shuffled(int block) { return (3 * block + 2) % blocks; }

Values random(const std::string& name, const Shape& shape) { return TwoShapes().value(name, shape); }

struct Naming {
  std::string block, linear, norm;
  bool shuffle = false;
  bool turned = false;  // weights [in, out]
};

// A chain of blocks, each a norm with equal contents everywhere and a linear of its own.
void fill(MemoryTrace& trace, const Naming& names) {
  std::vector<Values> hidden;
  for (int i = 0; i <= blocks; ++i) hidden.push_back(random("hidden" + std::to_string(i), {3, 8}));
  std::int64_t before = trace.declare("x", testing::tensor(hidden[0]));
  for (int i = 0; i < blocks; ++i) {
    const std::string block = names.block + "." + std::to_string(names.shuffle ? shuffled(i) : i);
    const std::string norm = block + "." + names.norm;
    const auto ones = trace.add(id_of(norm, Role::param, "weight"), floats(std::vector<float>(8, 1)));
    const auto zeros = trace.add(id_of(norm, Role::param, "bias"), floats(std::vector<float>(8, 0)));
    before = trace.add(id_of(norm, Role::output), testing::tensor(random("norm" + std::to_string(i), {3, 8})),
                       {before, ones, zeros});
    const Values weight = random("weight" + std::to_string(i), {8, 8});
    const std::string linear = block + "." + names.linear;
    const auto row =
        trace.add(id_of(linear, Role::param, "weight"), testing::tensor(names.turned ? transposed(weight) : weight));
    const auto bias = trace.add(id_of(linear, Role::param, "bias"), floats(std::vector<float>(8, 0)));
    before = trace.add(id_of(linear, Role::output), testing::tensor(hidden[static_cast<std::size_t>(i) + 1]),
                       {before, row, bias});
  }
}

DiffOptions inferring() {
  DiffOptions options;
  options.gate.kind = GateKind::bitwise;
  options.relation_use = RelationUse::inferred;
  return options;
}

TEST(Infer, FindsRenamedAndShuffledLayers) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, {"layers", "dense", "norm"});
  fill(b, {"encoder.blocks", "proj", "ln", true, true});
  const InferredRelation found = infer_relation(a.view(), b.view());
  EXPECT_THAT(found.unmatched, IsEmpty()) << found.text;
  EXPECT_EQ(found.exact, 4 * blocks);
  for (int i = 0; i < blocks; ++i) {
    const std::string from = "layers." + std::to_string(i);
    const std::string to = "encoder.blocks." + std::to_string(shuffled(i));
    EXPECT_THAT(found.text, HasSubstr("a = \"" + from + ".dense\"\nb = \"" + to + ".proj\"")) << found.text;
    EXPECT_THAT(found.text, HasSubstr("a = \"" + from + ".norm\"\nb = \"" + to + ".ln\""));
  }
  EXPECT_THAT(found.text, HasSubstr("form_a = \"transpose(0, 1)\""));
  const Report report = diff(a.view(), b.view(), inferring());
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_EQ(report.bitwise_equal, static_cast<std::int64_t>(a.records.size()));
}

TEST(Infer, WritesOneLineForAllBlocksThatAgree) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, {"layers", "dense", "norm"});
  fill(b, {"h", "c_fc", "ln_1"});
  const InferredRelation found = infer_relation(a.view(), b.view());
  EXPECT_THAT(found.text, HasSubstr("a = \"layers.{i}.dense\"\nb = \"h.{i}.c_fc\""));
  EXPECT_THAT(found.text, Not(HasSubstr("layers.0")));
  EXPECT_EQ(diff(a.view(), b.view(), inferring()).verdict, Verdict::same);
  // What was printed can be used as it is.
  DiffOptions options;
  options.relation_use = RelationUse::given;
  options.relations = {std::make_shared<const Relation>(parse_relation(found.text, "map.toml"))};
  EXPECT_EQ(diff(a.view(), b.view(), options).verdict, Verdict::same);
}

TEST(Infer, NamesWhatItCouldNotMatch) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, {"layers", "dense", "norm"});
  fill(b, {"h", "c_fc", "ln_1", true});
  a.add(id_of("extra", Role::param, "weight"), testing::tensor(random("one", {4, 6})));
  b.add(id_of("other", Role::param, "weight"), testing::tensor(random("two", {6, 5})));
  const Report report = diff(a.view(), b.view(), inferring());
  EXPECT_THAT(report.relation.unmatched, Contains("weight of A: extra weight [4, 6]"));
  EXPECT_THAT(report.relation.unmatched, Contains("weight of B: other weight [6, 5]"));
  EXPECT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.missing.size(), 1U);
  EXPECT_EQ(report.extra.size(), 1U);
}

TEST(Infer, SaysWhichWeightsOnlyComeNear) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, {"layers", "dense", "norm"});
  fill(b, {"h", "c_fc", "ln_1", false, true});
  for (std::size_t row = 0; row < b.records.size(); ++row) {
    if (b.records[row].id.layer != "h.2.c_fc" || b.records[row].id.index != "weight") continue;
    float value = 0;
    std::memcpy(&value, b.payloads[row].data(), sizeof value);
    value += 0.125F;
    std::memcpy(b.payloads[row].data(), &value, sizeof value);
    b.records[row].fingerprint = fingerprint(b.payloads[row], DType::float32);
  }
  const InferredRelation found = infer_relation(a.view(), b.view());
  EXPECT_EQ(found.close, 1);
  EXPECT_THAT(found.text, HasSubstr("# layers.2: not equal: relative difference"));
  const Report report = diff(a.view(), b.view(), inferring());
  ASSERT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.roots.front().pair.id.layer, "layers.2.dense");
  EXPECT_EQ(report.roots.front().pair.id_b.layer, "h.2.c_fc");
  EXPECT_EQ(report.mismatched, 1);
}

TEST(Infer, PayloadOfTheWeightsOfOneSideIsEnough) {
  for (const bool with_a : {true, false}) {
    MemoryTrace a;
    MemoryTrace b;
    a.sketch_size = b.sketch_size = 4;
    fill(a, {"layers", "dense", "norm"});
    fill(b, {"encoder.blocks", "proj", "ln", true, true});
    (with_a ? b : a).with_payload = false;
    const InferredRelation found = infer_relation(a.view(), b.view());
    EXPECT_EQ(found.exact, 4 * blocks);
    const Report report = diff(a.view(), b.view(), inferring());
    EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  }
}

TEST(Infer, FindsTheLayoutsOfMegatronWithoutBeingTold) {
  testing::TwoShapesOptions options;
  options.layers = 3;
  options.padded = 16;
  const TwoShapes shapes(options);
  const InferredRelation found = infer_relation(shapes.a.view(), shapes.b.view());
  EXPECT_THAT(found.unmatched, Not(Contains(HasSubstr("weight of")))) << found.text;
  EXPECT_EQ(found.close, 0);
  EXPECT_THAT(found.text,
              HasSubstr("a = \"layers.{i}.self_attention.query_key_value\"\nb = \"h.{i}.attn.c_attn\"\n"
                        "role = [\"param\", \"param_grad\"]\nindex_a = \"weight\"\nindex_b = \"weight\"\n"
                        "form_a = \"split(0, 2, 3, -1) | permute(1, 0, 2, 3) | merge(0, 3) | transpose(0, 1)\""))
      << found.text;
  EXPECT_THAT(found.text, HasSubstr("common(0)"));
}

// Its projections add their bias later, and its vocabulary is padded.
TEST(Infer, FindsWhatMegatronAddsLaterAndPads) {
  testing::TwoShapesOptions options;
  options.layers = 3;
  options.padded = 16;
  const TwoShapes shapes(options);
  const InferredRelation found = infer_relation(shapes.a.view(), shapes.b.view());
  EXPECT_THAT(found.unmatched, Not(Contains(HasSubstr("another output")))) << found.text;
  for (const char* outer : {"self_attention", "mlp"}) {
    EXPECT_THAT(found.unmatched, Not(Contains("layer of A: layers.0." + std::string(outer)))) << outer;
  }
  EXPECT_THAT(found.text, HasSubstr("a = \"layers.{i}.self_attention.dense\"\nb = \"h.{i}.attn.c_proj\"\n"
                                    "role = [\"output\"]\nform_a = \"plus(layers.{i}.attention_residual, param, "
                                    "layers.{i}.self_attention.dense.bias) | transpose(0, 1)\""))
      << found.text;
  EXPECT_THAT(found.text, HasSubstr("a = \"logits\"\nb = \"lm_head\"\nrole = [\"output\", \"grad_output\"]\n"
                                    "form_a = \"common(-1)\"\nform_b = \"common(-1)\""))
      << found.text;
  // Scores that A divides by the number of their layer are all that no form explains.
  const Report report = diff(shapes.a.view(), shapes.b.view(), inferring());
  ASSERT_EQ(report.mismatched, 1) << to_text(report);
  EXPECT_EQ(report.roots.front().pair.id.layer, "layers.2.self_attention.scores");
}

TEST(Infer, FindsItWhicheverIsTheGolden) {
  testing::TwoShapesOptions options;
  options.layers = 3;
  options.padded = 16;
  const TwoShapes shapes(options);
  const InferredRelation found = infer_relation(shapes.b.view(), shapes.a.view());
  EXPECT_THAT(found.unmatched, Not(Contains(HasSubstr("another output")))) << found.text;
  EXPECT_THAT(found.unmatched, Contains("layer of B: layers.0.self_attention.query"));
  EXPECT_THAT(found.text, HasSubstr("a = \"h.{i}.attn.c_proj\"\nb = \"layers.{i}.self_attention.dense\"\n"
                                    "role = [\"output\"]\nform_b = \"plus(layers.{i}.attention_residual"))
      << found.text;
  EXPECT_EQ(diff(shapes.b.view(), shapes.a.view(), inferring()).mismatched, 1);
}

TEST(Infer, RefusesTracesWithoutACommonWeight) {
  MemoryTrace a;
  MemoryTrace b;
  a.add(id_of("one", Role::param, "weight"), floats({1, 2, 3}));
  b.add(id_of("two", Role::param, "weight"), floats({1, 2}));
  EXPECT_THROW(diff(a.view(), b.view(), inferring()), Error);
}

}  // namespace
}  // namespace goldentrace
