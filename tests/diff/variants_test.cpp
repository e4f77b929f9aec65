// Runs that were trained in different ways and compute the same: micro-batches, ranks, recomputed layers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/variant_run.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::MemoryTrace;
using testing::VariantRun;
using testing::VariantRunOptions;

// What is kept of each side.
enum class Kept { payload, sketches };

struct Benign {
  const char* name;
  VariantRunOptions a, b;
  const char* relation;
  Kept kept_a = Kept::payload, kept_b = Kept::payload;
};

void PrintTo(const Benign& pair, std::ostream* out) { *out << pair.name; }

VariantRunOptions split(std::int64_t micros, std::int32_t ranks = 1, bool checkpointed = false) {
  VariantRunOptions options;
  options.micros = micros;
  options.ranks = ranks;
  options.checkpointed = checkpointed;
  return options;
}

class BenignPairs : public ::testing::TestWithParam<Benign> {};

TEST_P(BenignPairs, AreTheSameAndTheRelationsAreListed) {
  VariantRun a(GetParam().a);
  VariantRun b(GetParam().b);
  a.trace.with_payload = GetParam().kept_a == Kept::payload;
  b.trace.with_payload = GetParam().kept_b == Kept::payload;
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_EQ(report.relation.name, GetParam().relation);
  EXPECT_EQ(report.mismatched + report.absorbed, 0);
  EXPECT_TRUE(report.missing.empty() && report.extra.empty());
  for (const std::string name : {"accumulation", "data-parallel", "checkpointing"}) {
    const bool asked = report.relation.name.find(name) != std::string::npos;
    EXPECT_EQ(asked, to_text(report).find("lines of the relation " + name + " that") != std::string::npos);
  }
}

VariantRunOptions reordered(std::vector<std::int64_t> order, bool checkpointed = false) {
  VariantRunOptions options = split(static_cast<std::int64_t>(order.size()), 1, checkpointed);
  options.order = std::move(order);
  return options;
}

const Benign benign[] = {
    {"PlainAccumulated", split(1), split(4), "accumulation"},
    {"AccumulatedPlain", split(4), split(1), "accumulation"},
    {"OtherNumbersOfMicros", split(2), split(8), "accumulation"},
    {"PlainRanks", split(1), split(1, 4), "data-parallel"},
    {"RanksPlain", split(1, 2), split(1), "data-parallel"},
    {"OtherNumbersOfRanks", split(1, 2), split(1, 8), "data-parallel"},
    {"AccumulatedRanks", split(8), split(1, 8), "accumulation + data-parallel"},
    {"RanksThatAccumulate", split(1), split(2, 4), "accumulation + data-parallel"},
    {"RanksThatAccumulateOtherwise", split(2, 2), split(4, 2), "accumulation"},
    {"PlainCheckpointed", split(1), split(1, 1, true), "checkpointing"},
    {"CheckpointedPlain", split(1, 1, true), split(1), "checkpointing"},
    {"AccumulatedCheckpointed", split(4), split(4, 1, true), "checkpointing"},
    {"PlainAccumulatedCheckpointed", split(1), split(4, 1, true), "accumulation + checkpointing"},
    {"CheckpointedRanks", split(1, 1, true), split(1, 4), "data-parallel + checkpointing"},
    {"AllAtOnce", split(1, 1, true), split(2, 2), "accumulation + data-parallel + checkpointing"},
    {"MicrosInAnotherOrder", split(4), reordered({3, 1, 0, 2}), ""},
    {"MicrosInAnotherOrderRecomputed", split(4), reordered({3, 1, 0, 2}, true), "checkpointing"},
    {"SketchesOfMicros", split(1), split(4), "accumulation", Kept::payload, Kept::sketches},
    {"SketchesOfTheWhole", split(1), split(4), "accumulation", Kept::sketches, Kept::payload},
    {"SketchesOfRanks", split(1), split(1, 4), "data-parallel", Kept::payload, Kept::sketches},
    {"SketchesOfCheckpointed", split(1), split(1, 1, true), "checkpointing", Kept::sketches, Kept::sketches},
};

INSTANTIATE_TEST_SUITE_P(All, BenignPairs, ::testing::ValuesIn(benign),
                         [](const auto& info) { return info.param.name; });

TEST(Variants, SumsThatDifferByRoundingAreNotCalledBitEqual) {
  const VariantRun a(split(1));
  const VariantRun b(split(4));
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_GT(report.within_gate, 0);
  ASSERT_TRUE(report.first_unequal.has_value());
}

TEST(Variants, MicroBatchesInAnotherOrderMeetByTheirInputs) {
  VariantRunOptions options = split(4);
  options.order = {2, 0, 3, 1};
  const VariantRun a(split(4));
  const VariantRun b(options);
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_THAT(report.notes, Contains(HasSubstr("in another order, by their inputs: 2, 0, 3, 1 in step 0")));
  EXPECT_GT(report.within_gate, 0) << "sums in another order";
}

TEST(Variants, RealRanksHaveEqualUpdates) {
  VariantRunOptions options = split(1, 4);
  options.one_process = false;
  options.evaluates = true;
  VariantRunOptions whole = split(1);
  whole.evaluates = true;
  const VariantRun a(whole);
  const VariantRun b(options);
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
}

TEST(Variants, RanksInOneProcessMeetThoseInProcessesOfTheirOwn) {
  VariantRunOptions options = split(1, 4);
  options.evaluates = true;
  const VariantRun a(options);
  options.one_process = false;
  const VariantRun b(options);
  for (const auto& [golden, candidate] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const Report report = diff(golden->trace.view(), candidate->trace.view());
    EXPECT_EQ(exit_code(report), 0) << to_text(report);
    EXPECT_EQ(report.relation.name, "processes");
    EXPECT_EQ(report.bitwise_equal, report.compared);
    EXPECT_EQ(report.compared, static_cast<std::int64_t>(a.trace.records.size()));
  }
  EXPECT_EQ(exit_code(diff(b.trace.view())), 0);
}

TEST(Variants, ARecomputedLayerOfOneSideStandsAgainstTheOthersForwardPass) {
  const VariantRun a(split(1));
  const VariantRun b(split(1, 1, true));
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_TRUE(report.extra.empty());
  EXPECT_EQ(report.compared, static_cast<std::int64_t>(b.trace.records.size()));
}

TEST(Variants, RecomputedLayersAreListed) {
  const VariantRun plain(split(1));
  VariantRun checkpointed(split(1, 1, true));
  const std::string equal = "layers.1, layers.2: all equal to their first forward\n";
  EXPECT_THAT(to_text(diff(checkpointed.trace.view())), HasSubstr("\nrecomputed layers: " + equal));
  const std::string text = to_text(diff(plain.trace.view(), checkpointed.trace.view()));
  EXPECT_THAT(text, HasSubstr("\nrecomputed layers of B: " + equal));
  EXPECT_EQ(text.find("recomputed layers of A"), std::string::npos);
  const Report both = diff(checkpointed.trace.view(), checkpointed.trace.view());
  EXPECT_THAT(to_text(both, {.limit = 1}), HasSubstr("recomputed layers of A: layers.1 … and 1 more: all equal"));
}

TEST(Variants, RecomputedLayersThatAreNotEqualAreListedToo) {
  VariantRunOptions fault = split(1, 1, true);
  fault.weight = [](const testing::Moment& at, const std::string& layer, testing::Matrix& value) {
    if (at.step == 1 && at.recompute && layer == "layers.2") value.at(0, 0) += 0.125F;
  };
  const Report report = diff(VariantRun(fault).trace.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(to_text(report),
              HasSubstr("recomputed layers: layers.1, layers.2: " +
                        std::to_string(report.checks.front().findings.size()) + " records of " +
                        std::to_string(report.checks.front().recomputed) + " not equal to the first forward\n"));
}

TEST(Variants, OtherRowsAreOtherInputs) {
  const VariantRun a(split(1));
  VariantRunOptions options = split(4);
  options.rows = 16;
  const VariantRun b(options);
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_THAT(report.reason, HasSubstr("inputs differ"));
}

TEST(Variants, TheMicroBatchAndTheRankOfADifferenceAreNamed) {
  VariantRunOptions fault = split(2, 2);
  fault.weight = [](const testing::Moment& at, const std::string& layer, testing::Matrix& value) {
    if (at.rank == 1 && at.micro == 1 && layer == "layers.2") value.at(1, 2) += 0.125F;
  };
  const VariantRun a(split(1));
  const VariantRun b(fault);
  DiffOptions options;
  options.filter = "loss";
  const Report report = diff(a.trace.view(), b.trace.view(), options);
  ASSERT_FALSE(report.roots.empty());
  ASSERT_TRUE(report.roots.front().pair.part_b.has_value()) << to_text(report);
  EXPECT_EQ(describe(*report.roots.front().pair.part_b), "step 0 · micro 1 · rank 1 · forward · loss · input 0");
  EXPECT_THAT(to_text(report), HasSubstr("part of B   step 0 · micro 1 · rank 1 · forward · loss · input 0"));
}

TEST(Variants, JoiningWithoutAnyPayloadNamesTheTensor) {
  VariantRunOptions large = split(1);
  large.rows = 512;
  VariantRunOptions parts = split(4);
  parts.rows = 512;
  VariantRun a(large);
  VariantRun b(parts);
  a.trace.with_payload = b.trace.with_payload = false;
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_THAT(report.reason, HasSubstr("x (step 0"));
  EXPECT_THAT(report.reason, HasSubstr("'concat(0, micro) of 4 records' needs the payload of one side at least"));
}

TEST(Variants, OneSideWithPayloadIsEnoughToJoin) {
  VariantRunOptions large = split(1);
  large.rows = 512;
  VariantRunOptions parts = split(4);
  parts.rows = 512;
  VariantRun a(large);
  VariantRun b(parts);
  b.trace.with_payload = false;
  EXPECT_EQ(exit_code(diff(a.trace.view(), b.trace.view())), 0);
  EXPECT_EQ(exit_code(diff(b.trace.view(), a.trace.view())), 0);
}

// What layers.1 returns, in all micro-batches and where layers.2 reads it, times `factor`.
void scale_middle(MemoryTrace& trace, float factor) {
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const RecordId& id = trace.records[row].id;
    const bool middle = id.pass == Pass::forward && ((id.layer == "layers.1" && id.role == Role::output) ||
                                                     (id.layer == "layers.2" && id.role == Role::input));
    if (!middle) continue;
    testing::Tensor value{trace.records[row].dtype, trace.records[row].shape, trace.payloads[row]};
    for (std::size_t i = 0; i < value.bytes.size(); i += sizeof(float)) {
      float element = 0;
      std::memcpy(&element, value.bytes.data() + i, sizeof element);
      element *= factor;
      std::memcpy(value.bytes.data() + i, &element, sizeof element);
    }
    trace.replace(row, value);
  }
}

TEST(Variants, SketchesOfPartsEstimateTheWholeTensor) {
  VariantRunOptions large = split(1);
  VariantRunOptions parts = split(4);
  large.rows = parts.rows = 512;
  const auto compared = [&](float factor) {
    const VariantRun a(large);
    VariantRun b(parts);
    scale_middle(b.trace, factor);
    b.trace.with_payload = false;
    DiffOptions options;
    options.filter = "layers.1";
    return diff(a.trace.view(), b.trace.view(), options);
  };
  const Report small = compared(1.000003F);
  EXPECT_EQ(exit_code(small), 0) << to_text(small);
  ASSERT_FALSE(small.closest.empty());
  const Judgement& within = small.closest.front().judgement;
  EXPECT_TRUE(within.estimated);
  EXPECT_NEAR(within.comparison.rel_frobenius, 3e-6, 1e-6);
  const Report far = compared(1.00003F);
  EXPECT_EQ(exit_code(far), 1);
  EXPECT_NEAR(far.roots.front().pair.judgement.comparison.rel_frobenius, 3e-5, 1e-5);
  EXPECT_THAT(to_text(far), HasSubstr("from the sketches of its parts"));
}

}  // namespace
}  // namespace goldentrace
