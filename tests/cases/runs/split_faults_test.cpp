// Faults of accumulation and of data-parallel ranks in recorded runs: the tensor, the step, the rank and the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/text_report.h"
#include "tests/cases/runs/runs.h"
#include "tests/cases/runs/split_training.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace_reader.h"

namespace goldentrace::cases {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

auto hint_says(const std::string& text) { return Contains(Field(&Diagnosis::text, HasSubstr(text))); }

std::string first(const Report& report) {
  return report.roots.empty() ? "none" : describe(report.roots.front().pair.id);
}

class SplitFaults : public testing::Test {
 protected:
  Report compared(const SplitTraining& a, const SplitTraining& b) const {
    record(path("a.h5"), a);
    record(path("b.h5"), b);
    return compare(path("a.h5"), path("b.h5"));
  }
  Report alone(const SplitTraining& options) const {
    record(path("alone.h5"), options);
    return diff(TraceReader(path("alone.h5")));
  }
  void expect_found(const Report& report, const std::string& where, const std::string& hint) const {
    EXPECT_EQ(exit_code(report), 1) << to_text(report);
    EXPECT_EQ(first(report), where) << to_text(report);
    EXPECT_THAT(report.diagnosis, hint_says(hint)) << to_text(report);
  }

 private:
  std::filesystem::path path(const std::string& file) const { return folder_ / file; }

  testing_support::TemporaryFolder folder_;
};

TEST_F(SplitFaults, WithoutOneNothingDiffers) {
  for (const SplitTraining& split :
       {SplitTraining{.micros = 4}, SplitTraining{.ranks = 4}, SplitTraining{.micros = 2, .ranks = 2}}) {
    const Report report = compared({}, split);
    EXPECT_EQ(exit_code(report), 0) << to_text(report);
    EXPECT_EQ(exit_code(alone(split)), 0);
  }
}

TEST_F(SplitFaults, TheLossIsNotDivided) {
  for (const std::int64_t micros : {1, 4})
    expect_found(compared({.micros = micros}, {.micros = 4, .divides_loss = false}),
                 "step 0 · micro 0 · rank 0 · forward · loss · output 0", "ratio 4.0 = accumulation steps");
}

TEST_F(SplitFaults, TheGradientOfOneRankIsLeftOut) {
  for (const std::int32_t ranks : {1, 4})
    expect_found(compared({.ranks = ranks}, {.ranks = 4, .lost_rank = 2}),
                 "step 0 · rank 0 · update · layers.0 · param_grad weight",
                 "the gradient of rank 2 is left out of the total");
}

TEST_F(SplitFaults, GradientsAreReducedTwice) {
  expect_found(compared({.ranks = 4}, {.ranks = 4, .total_factor = 4}),
               "step 0 · rank 0 · update · layers.0 · param_grad weight", "reduced twice: ratio 4.0 = ranks");
}

TEST_F(SplitFaults, OneRankDrawsFromTheSeedOfAnother) {
  const SplitTraining right{.ranks = 2, .dropout = 0.5};
  SplitTraining wrong = right;
  wrong.has_one_seed = true;
  expect_found(compared(right, wrong), "step 0 · micro 0 · rank 1 · forward · layers.1 · output 0",
               "rank 1 draws from the random state of rank 0: stale seed");
}

TEST_F(SplitFaults, AWeightDriftsOnOneRank) {
  const SplitTraining wrong{.ranks = 2, .drifting_rank = 1};
  const std::string where = "step 1 · micro 0 · rank 1 · forward · layers.2 · param weight";
  expect_found(compared({.ranks = 2}, wrong), where, "rank 1 has another value than rank 0");
  expect_found(alone(wrong), where, "rank 1 has another value than rank 0");
}

TEST_F(SplitFaults, TheOptimizerStepsBeforeTheLastMicroBatch) {
  const SplitTraining wrong{.micros = 4, .early_update = 3};
  expect_found(compared({.micros = 4}, wrong), "step 0 · micro 3 · rank 0 · forward · layers.0 · param weight",
               "optimizer step before the last micro-batch");
  EXPECT_EQ(exit_code(alone(wrong)), 1);
}

}  // namespace
}  // namespace goldentrace::cases
