// Ten faults of training loops that accumulate, spread over ranks or recompute: each is found at its tensor, step and
// rank, with a hint that says what its number is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/variant_run.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using ::testing::Field;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::MemoryTrace;
using testing::Moment;
using testing::VariantRun;
using testing::VariantRunOptions;

VariantRunOptions split(std::int64_t micros, std::int32_t ranks = 1) {
  VariantRunOptions options;
  options.micros = micros;
  options.ranks = ranks;
  return options;
}

std::string first(const Report& report) {
  return report.roots.empty() ? "none" : describe(report.roots.front().pair.id);
}

auto hint_says(const std::string& text) { return Contains(Field(&Diagnosis::text, HasSubstr(text))); }

class VariantFaults : public ::testing::Test {
 protected:
  static Report compared(const VariantRunOptions& a, const VariantRunOptions& b) {
    const VariantRun run_a(a);
    const VariantRun run_b(b);
    Report report = diff(run_a.trace.view(), run_b.trace.view());
    EXPECT_EQ(exit_code(report), 1) << to_text(report);
    return report;
  }
  static Report alone(const VariantRunOptions& options) {
    const VariantRun run(options);
    return diff(run.trace.view());
  }
};

TEST_F(VariantFaults, LossNotDividedByTheAccumulationSteps) {
  VariantRunOptions fault = split(4);
  fault.loss_factor = [](const Moment&) { return 4.F; };
  for (const std::int64_t micros : {1, 4}) {
    const Report report = compared(split(micros), fault);
    EXPECT_EQ(first(report), "step 0 · micro 0 · rank 0 · forward · loss · output 0");
    EXPECT_THAT(report.diagnosis, hint_says("ratio 4.0 = accumulation steps"));
  }
}

TEST_F(VariantFaults, MeanOfMeansOfMicroBatches) {
  VariantRunOptions right = split(2);
  right.tokens = {1, 7};
  VariantRunOptions fault = right;
  right.step_loss = [](const Moment&, float) { return 4.625F; };
  fault.step_loss = [](const Moment&, float) { return 3.5F; };
  VariantRun a(right);
  VariantRun b(fault);
  for (VariantRun* run : {&a, &b}) {
    for (std::size_t row = 0; row < run->trace.records.size(); ++row) {
      const RecordId id = run->trace.records[row].id;
      const bool loss =
          id.pass == Pass::forward && id.layer == "loss" && (id.role == Role::loss || id.role == Role::output);
      if (loss) run->trace.replace(row, testing::scalar(id.micro == 0 ? 2 : 5));
    }
  }
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 0 · rank 0 · update · loss · loss 0");
  EXPECT_THAT(report.diagnosis, hint_says("3.5 = average of micro-batch means; token-weighted would be 4.625"));
}

TEST_F(VariantFaults, MeanOfMeansOfRanks) {
  VariantRunOptions right = split(1, 2);
  right.tokens = {5, 1};
  VariantRunOptions fault = right;
  right.step_loss = [](const Moment&, float) { return 2.F; };
  right.total_factor = [](const Moment&) { return 0.5F; };
  fault.step_loss = [](const Moment&, float) { return 4.F; };
  VariantRun a(right);
  VariantRun b(fault);
  for (VariantRun* run : {&a, &b}) {
    for (std::size_t row = 0; row < run->trace.records.size(); ++row) {
      const RecordId id = run->trace.records[row].id;
      const bool loss =
          id.pass == Pass::forward && id.layer == "loss" && (id.role == Role::loss || id.role == Role::output);
      if (loss && id.step == 0) run->trace.replace(row, testing::scalar(id.rank == 0 ? 1 : 7));
    }
  }
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 0 · rank 0 · update · loss · loss 0");
  ASSERT_GE(report.roots.size(), 2U);
  EXPECT_EQ(report.roots[1].pair.id.role, Role::param_grad) << "the reduced gradient comes next";
  EXPECT_THAT(report.diagnosis,
              hint_says("4.0 = mean of rank means; token-weighted would be 2.0; before the reduction"));
}

TEST_F(VariantFaults, ShortLastWindowDividedByTheWholeOne) {
  VariantRunOptions right = split(2);
  right.steps = 3;
  right.present = {2, 2, 1};
  VariantRunOptions fault = right;
  right.loss_factor = [](const Moment& at) { return at.step == 2 ? 2.F : 1.F; };
  const Report report = compared(right, fault);
  EXPECT_EQ(first(report), "step 2 · micro 0 · rank 0 · forward · loss · output 0");
  EXPECT_THAT(report.diagnosis, hint_says("ratio = present/configured = 1/2"));
  ASSERT_EQ(report.losses.points.size(), 3U);
  EXPECT_TRUE(report.losses.points[1].within);
  EXPECT_DOUBLE_EQ(*report.losses.points[2].b, *report.losses.points[2].a / 2);
  EXPECT_EQ(report.losses.first_outside, 2);
  EXPECT_EQ(report.losses.inside, report.roots.front().pair.id);
  EXPECT_THAT(to_text(report), HasSubstr("first step out of the gate: 2, where step 2 · micro 0 · rank 0 · forward · "
                                         "loss · output 0 comes first"));
}

TEST_F(VariantFaults, GradientOfOneRankLeftOut) {
  VariantRunOptions fault = split(1, 4);
  fault.share = [](const Moment& at) { return at.rank == 2 ? 0.F : 1.F; };
  for (const std::int32_t ranks : {1, 4}) {
    const Report report = compared(split(1, ranks), fault);
    EXPECT_EQ(first(report), "step 0 · rank 0 · update · layers.0 · param_grad weight");
    EXPECT_THAT(report.diagnosis, hint_says("the gradient of rank 2 is left out of the total"));
  }
}

TEST_F(VariantFaults, ReducedTwice) {
  VariantRunOptions fault = split(1, 4);
  fault.total_factor = [](const Moment&) { return 4.F; };
  const Report report = compared(split(1, 4), fault);
  EXPECT_EQ(first(report), "step 0 · rank 0 · update · layers.0 · param_grad weight");
  EXPECT_THAT(report.diagnosis, hint_says("reduced twice: ratio 4.0 = ranks"));
}

std::string seed_of_rank(const Moment& at) {
  return std::to_string(at.step) + ' ' + std::to_string(at.micro) + ' ' + std::to_string(at.rank);
}

TEST_F(VariantFaults, StaleSeedOnOneRank) {
  VariantRunOptions right = split(1, 2);
  right.random = seed_of_rank;
  VariantRunOptions fault = right;
  fault.random = [](const Moment& at) { return seed_of_rank({at.step, at.micro, 0, false}); };
  const Report report = compared(right, fault);
  EXPECT_EQ(first(report), "step 0 · micro 0 · rank 1 · forward · layers.1 · output 0");
  EXPECT_EQ(report.roots.front().origin, Origin::random);
  EXPECT_THAT(report.diagnosis, hint_says("rank 1 draws from the random state of rank 0: stale seed"));
}

TEST_F(VariantFaults, ReplicatedWeightDriftsOnOneRank) {
  VariantRunOptions fault = split(1, 2);
  fault.weight = [](const Moment& at, const std::string& layer, testing::Matrix& value) {
    if (at.rank == 1 && at.step == 1 && layer == "layers.2") value.at(0, 0) += 0.125F;
  };
  const Report report = compared(split(1, 2), fault);
  EXPECT_EQ(first(report), "step 1 · micro 0 · rank 1 · forward · layers.2 · param weight");
  EXPECT_THAT(report.diagnosis, hint_says("rank 1 has another value than rank 0"));
  const Report of_one = alone(fault);
  EXPECT_EQ(exit_code(of_one), 1);
  EXPECT_EQ(first(of_one), "step 1 · micro 0 · rank 1 · forward · layers.2 · param weight");
  EXPECT_EQ(exit_code(alone(split(1, 2))), 0);
}

TEST_F(VariantFaults, RandomStateNotRestoredForTheRecompute) {
  VariantRunOptions plain = split(1);
  plain.random = seed_of_rank;
  VariantRunOptions right = plain;
  right.checkpointed = true;
  VariantRunOptions fault = right;
  fault.random = [](const Moment& at) { return seed_of_rank(at) + (at.recompute ? " later" : ""); };
  for (const VariantRunOptions& golden : {plain, right}) {
    const Report report = compared(golden, fault);
    EXPECT_EQ(first(report), "step 0 · micro 0 · rank 0 · recompute · layers.1 · output 0");
    EXPECT_THAT(report.diagnosis, hint_says("recomputed output differs from the first output: RNG not restored"));
  }
  const Report of_one = alone(fault);
  EXPECT_EQ(exit_code(of_one), 1);
  EXPECT_EQ(first(of_one), "step 0 · micro 0 · rank 0 · recompute · layers.1 · output 0");
  EXPECT_EQ(of_one.roots.front().origin, Origin::random);
  EXPECT_EQ(exit_code(alone(right)), 0);
}

// [gate; value] rows of a gated MLP on two ranks: each has gates and values of its own half.
MemoryTrace& gated(MemoryTrace& trace, std::int32_t ranks, const std::vector<std::vector<float>>& rows) {
  trace.header = {{"model.shape", "megatron"}, {"model.glu_activation", "swiglu"}};
  trace.header["ranks"] = trace.header["ranks.tensor"] = std::to_string(ranks);
  trace.header["ranks.data"] = "1";
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    RecordId id = id_of(std::string(root_layer), Role::input, "ids");
    id.rank = rank;
    trace.add(id, testing::integers({1, 2}));
    trace.records.back().declared = trace.records.back().external = true;
    id = id_of("layers.0.mlp.dense_h_to_4h", Role::param, "weight");
    id.rank = rank;
    const std::vector<float>& weight = rows[static_cast<std::size_t>(rank)];
    trace.add(id, floats(weight, {static_cast<std::int64_t>(weight.size()) / 2, 2}));
  }
  return trace;
}

TEST_F(VariantFaults, ShardsOfAGatedMlpInTheWrongOrder) {
  const std::vector<float> whole{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  MemoryTrace a, right, fault;
  gated(a, 1, {whole});
  gated(right, 2, {{1, 2, 3, 4, 9, 10, 11, 12}, {5, 6, 7, 8, 13, 14, 15, 16}});
  gated(fault, 2, {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}});
  EXPECT_EQ(exit_code(diff(a.view(), right.view())), 0) << to_text(diff(a.view(), right.view()));
  EXPECT_EQ(exit_code(diff(right.view(), a.view())), 0);
  const Report report = diff(a.view(), fault.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 0 · micro 0 · rank 0 · forward · layers.0.mlp.dense_h_to_4h · param weight");
  EXPECT_EQ(report.roots.front().origin, Origin::weight);
  EXPECT_THAT(report.diagnosis, hint_says("TP merge order of the gated MLP (2 shards)"));
}

TEST_F(VariantFaults, OptimizerStepBeforeTheLastMicroBatch) {
  VariantRunOptions fault = split(4);
  fault.update_before = 3;
  const Report report = compared(split(4), fault);
  EXPECT_EQ(first(report), "step 0 · micro 3 · rank 0 · forward · layers.0 · param weight");
  EXPECT_THAT(report.diagnosis, hint_says("optimizer step before the last micro-batch"));
  EXPECT_EQ(exit_code(alone(fault)), 1);
}

TEST_F(VariantFaults, AParameterThatChangesBetweenTwoSteps) {
  VariantRunOptions fault = split(1);
  fault.weight = [](const Moment& at, const std::string& layer, testing::Matrix& value) {
    if (at.step == 1 && layer == "layers.0") value.at(0, 0) += 0.125F;
  };
  const Report report = alone(fault);
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 1 · micro 0 · rank 0 · forward · layers.0 · param weight");
  EXPECT_THAT(report.reason, HasSubstr("enters step 1 with another value than step 0 left it"));
}

}  // namespace
}  // namespace goldentrace
