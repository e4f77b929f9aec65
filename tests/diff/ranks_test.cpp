// Traces of several ranks: the order of their records, dataflow between them, and which rank is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "diff/diff.h"
#include "diff/partial_ranks.h"
#include "diff/ranked_trace.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"
#include "tests/diff/variant_run.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::MemoryTrace;

// Two tensor-parallel ranks, each in a file of its own: one file after the other. Each step: a partial product, its
// reduction, and a layer that reads the result.
struct RankFault {
  std::int32_t rank = -1;
  std::int64_t step = 0;
  std::string layer;
};

class TensorRanks {
 public:
  explicit TensorRanks(const RankFault& fault = {}) : fault_(fault) {
    trace.header = {{"ranks", "2"}, {"ranks.tensor", "2"}, {"ranks.data", "1"}};
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      for (std::int64_t step = 0; step < 3; ++step) add(rank, step);
    }
  }

  MemoryTrace trace;

 private:
  std::int64_t record(std::int32_t rank, std::int64_t step, const std::string& layer, Role role, float value,
                      std::vector<std::int64_t> from) {
    RecordId id = id_of(layer, role);
    id.rank = rank;
    id.step = step;
    const bool wrong = fault_.rank == rank && fault_.step == step && fault_.layer == layer && role == Role::output;
    return trace.add(id, floats({value + (wrong ? 1.F : 0.F), 2}), std::move(from));
  }

  bool is_behind(std::int64_t step) const {
    return fault_.rank >= 0 && fault_.layer == "product" && step == fault_.step;
  }

  void add(std::int32_t rank, std::int64_t step) {
    RecordId input = id_of(std::string(root_layer), Role::input, "x");
    input.rank = rank;
    input.step = step;
    const std::int64_t x = trace.add(input, floats({1, 1}));
    trace.records.back().declared = trace.records.back().external = true;
    const float part = 3 + static_cast<float>(rank);
    const float wrong = is_behind(step) ? 1 : 0;
    const float own = part + (fault_.rank == rank ? wrong : 0);
    std::int64_t row = record(rank, step, "product", Role::input, 1, {x});
    row = record(rank, step, "product", Role::output, part, {row});
    row = record(rank, step, "dense.all_reduce", Role::input, own, {row});
    RecordId id = id_of("dense.all_reduce", Role::output);
    id.rank = rank;
    id.step = step;
    const bool broken = fault_.rank == rank && fault_.step == step && fault_.layer == "dense.all_reduce";
    row = trace.add(id, floats({7 + wrong + (broken ? 1.F : 0.F), 4}), {row});
    record(rank, step, "end", Role::input, 7 + wrong + (broken ? 1.F : 0.F), {row});
  }

  RankFault fault_;
};

std::string first(const Report& report) {
  return report.roots.empty() ? "none" : describe(report.roots.front().pair.id);
}

TEST(Ranks, AreReadInStepAndBehindWhatTheyDependOn) {
  const TensorRanks ranks;
  const TraceView view = ranks.trace.view();
  const RankedTrace ranked(view);
  const auto& records = ranked.view().records;
  ASSERT_EQ(records.size(), ranks.trace.records.size());
  std::int64_t step = 0;
  for (std::size_t row = 0; row < records.size(); ++row) {
    EXPECT_GE(records[row].id.step, step);
    step = records[row].id.step;
    for (const std::int64_t producer : records[row].producers) EXPECT_LT(producer, static_cast<std::int64_t>(row));
    if (records[row].id.layer == "dense.all_reduce" && records[row].id.role == Role::output) {
      EXPECT_EQ(records[row].producers.size(), 2U);
    }
    EXPECT_EQ(ranked.view().payload(static_cast<std::int64_t>(row)).size(), 8U);
  }
}

TEST(Ranks, TheRankThatBringsAnotherPartIsNamed) {
  const TensorRanks a;
  const TensorRanks b({1, 1, "product"});
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.roots.size(), 1U) << to_text(report);
  EXPECT_EQ(first(report), "step 1 · micro 0 · rank 1 · forward · product · output 0");
}

TEST(Ranks, AReductionThatIsNoSumIsFoundInOneTraceAlone) {
  const TensorRanks a;
  const TensorRanks b({0, 2, "dense.all_reduce"});
  const Report report = diff(b.trace.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 2 · micro 0 · rank 0 · forward · dense.all_reduce · output 0");
  EXPECT_EQ(exit_code(diff(a.trace.view())), 0) << to_text(diff(a.trace.view()));
  EXPECT_EQ(diff(a.trace.view()).checks.front().collectives, 6);
}

// What a rank recorded whose recorder died in the last step.
void end_early(MemoryTrace& trace) {
  const auto is_lost = [](const Record& record) { return record.id.rank == 1 && record.id.step == 2; };
  ASSERT_TRUE(is_lost(trace.records.back()) && std::ranges::is_partitioned(trace.records, std::not_fn(is_lost)));
  std::erase_if(trace.records, is_lost);
  trace.payloads.resize(trace.records.size());
}

TEST(Ranks, APartialSetIsNeverTheSame) {
  TensorRanks a, b;
  end_early(b.trace);
  const std::string lost = "rank 1 has no record of step 2, which rank 0 has";
  const Report alone = diff(b.trace.view());
  EXPECT_EQ(exit_code(alone), 2) << to_text(alone);
  EXPECT_THAT(alone.reason, HasSubstr(lost));
  const Report against_itself = diff(b.trace.view(), b.trace.view());
  EXPECT_EQ(exit_code(against_itself), 2) << to_text(against_itself);
  EXPECT_THAT(against_itself.reason, HasSubstr(lost));
  const Report against_whole = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(against_whole.verdict, Verdict::diverged);
  EXPECT_THAT(against_whole.notes, Contains("B is a partial set of ranks: " + lost));
}

TEST(Ranks, AnEvaluationOnOneRankIsNoPartialSet) {
  testing::VariantRunOptions options;
  options.ranks = 2;
  testing::VariantRun run(options);
  RecordId evaluation = id_of("layers.0", Role::output);
  evaluation.step =
      1 + std::ranges::max(run.trace.records, {}, [](const Record& each) { return each.id.step; }).id.step;
  run.trace.add(evaluation, floats({1, 2}));
  EXPECT_EQ(missing_rank_step(run.trace.view()), "");
}

TEST(Ranks, UpdatesDependOnTheSharesOfAllRanks) {
  testing::VariantRunOptions options;
  options.ranks = 2;
  testing::VariantRunOptions fault = options;
  fault.weight = [](const testing::Moment& at, const std::string& layer, testing::Matrix& value) {
    if (at.rank == 1 && at.step == 0 && layer == "layers.0") value.at(0, 0) += 0.125F;
  };
  const testing::VariantRun a(options);
  const testing::VariantRun b(fault);
  const Report report = diff(a.trace.view(), b.trace.view());
  EXPECT_EQ(report.roots.size(), 1U) << to_text(report);
  EXPECT_EQ(first(report), "step 0 · micro 0 · rank 1 · forward · layers.0 · param weight");
}

}  // namespace
}  // namespace goldentrace
