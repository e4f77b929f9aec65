// The relation `data-parallel` on both GPT shapes: a batch of two against its samples, each run by itself as a rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/text_report.h"
#include "tests/cases/models/tiny.h"
#include "tests/cases/runs/runs.h"
#include "tests/cases/runs/split_trace.h"
#include "tests/diff/memory_trace.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace_reader.h"

namespace goldentrace::cases {
namespace {

using ::testing::HasSubstr;

GptOptions sample(const GptOptions& options, std::int64_t number) {
  GptOptions result = options;
  GptBatch& batch = result.batches.front();
  batch = {batch.ids.slice(0, number, number + 1).clone(), batch.labels.slice(0, number, number + 1).clone(), {}, {}};
  return result;
}

// The records of a run in one pass or another, as a rank's.
void append(testing::MemoryTrace& trace, const TraceReader& run, std::int32_t rank, bool of_update) {
  std::vector<std::int64_t> row_of(run.records().size(), -1);
  for (std::size_t row = 0; row < run.records().size(); ++row) {
    const Record& record = run.records()[row];
    if ((record.id.pass == Pass::update) != of_update) continue;
    RecordId id = record.id;
    id.rank = rank;
    std::vector<std::int64_t> from;
    for (const std::int64_t producer : record.producers) from.push_back(row_of[static_cast<std::size_t>(producer)]);
    row_of[row] =
        trace.add(id, {record.dtype, record.shape, run.payload(static_cast<std::int64_t>(row))}, from, record.position);
    trace.records.back().declared = record.declared;
    trace.records.back().external = record.external;
  }
}

// How many targets of the two samples count.
enum class Targets { equal, unequal };

class DataParallelShapes : public ::testing::TestWithParam<std::tuple<GptKind, Targets>> {};

TEST_P(DataParallelShapes, SamplesOnRanksAreTheBatch) {
  const testing_support::TemporaryFolder folder;
  const auto& [kind, targets] = GetParam();
  GptOptions options = kind == GptKind::megatron ? tiny_megatron_options() : tiny_options();
  if (targets == Targets::unequal) options.batches.front().labels[1].slice(0, 2).fill_(ignored_label);
  const auto run = [&](const std::string& file, const GptOptions& settings) {
    record(folder / file, settings, {.parameter = set_by_formula([](const auto&, at::Tensor t) { return t; })});
    return std::make_unique<TraceReader>(folder / file);
  };
  const auto whole = run("whole.h5", options);
  const auto first = run("first.h5", sample(options, 0));
  const auto second = run("second.h5", sample(options, 1));
  testing::MemoryTrace ranks;
  ranks.header = first->header();
  ranks.header["ranks"] = ranks.header["ranks.data"] = "2";
  append(ranks, *first, 0, false);
  append(ranks, *second, 1, false);
  append(ranks, *whole, 0, true);
  // Some gradients of TINY are all but zero.
  const Report report = diff(view(*whole), ranks.view(), {.gate = {.rel = 1e-4}});
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_EQ(report.relation.name, "data-parallel");
  EXPECT_EQ(report.mismatched + report.absorbed, 0);
  EXPECT_TRUE(report.missing.empty() && report.extra.empty());
}

// Two samples, each cut into two tensor-parallel ranks; updates are those of the whole batch on every rank.
TEST(DataAndTensorParallel, FourRanksAreTheWholeModel) {
  const testing_support::TemporaryFolder folder;
  GptOptions options = tiny_megatron_options();
  options.megatron.pad_vocab_size_to = 12;
  const auto run = [&](const std::string& file, const GptOptions& settings) {
    record(folder / file, settings, {.parameter = set_by_formula([](const auto&, at::Tensor t) { return t; })});
    return std::make_unique<TraceReader>(folder / file);
  };
  const auto whole = run("whole.h5", options);
  const auto is_update = [](const RecordId& id) { return id.pass == Pass::update; };
  testing::MemoryTrace ranks;
  for (const std::int64_t data : {0, 1}) {
    const auto part = run("part.h5", sample(options, data));
    split_over_ranks(*part, {2, 2, false, data, [&](const RecordId& id) { return !is_update(id); }}, ranks);
    split_over_ranks(*whole, {2, 2, false, data, is_update}, ranks);
  }
  ranks.header["ranks"] = "4";
  ranks.header["ranks.data"] = "2";
  const Report report = diff(view(*whole), ranks.view(), {.gate = {.rel = 1e-4}});
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_EQ(report.relation.name, "tensor-parallel + data-parallel");
  EXPECT_TRUE(report.missing.empty() && report.extra.empty());
  EXPECT_EQ(exit_code(diff(ranks.view())), 0) << to_text(diff(ranks.view()));
}

// Ranks of one shape against the whole batch in the other: two relations follow one another.
TEST(DataParallelAcrossShapes, SamplesOnMegatronRanksAreTheBatchOfGpt2) {
  const testing_support::TemporaryFolder folder;
  const auto run = [&](const std::string& file, const GptOptions& settings, NamedTensors weights) {
    record(folder / file, settings, {.parameter = set_weights(std::move(weights))});
    return std::make_unique<TraceReader>(folder / file);
  };
  const GptOptions megatron = tiny_megatron_options();
  const auto golden = run("hf.h5", tiny_options(), tiny_weights());
  const auto whole = run("whole.h5", megatron, tiny_megatron_weights());
  testing::MemoryTrace ranks;
  ranks.header = whole->header();
  ranks.header["ranks"] = ranks.header["ranks.data"] = "2";
  for (const std::int32_t rank : {0, 1})
    append(ranks, *run("part.h5", sample(megatron, rank), tiny_megatron_weights()), rank, false);
  append(ranks, *whole, 0, true);
  const DiffOptions loose{.gate = {.rel = 1e-4}};
  const Report report = diff(view(*golden), ranks.view(), loose);
  EXPECT_EQ(exit_code(report), exit_code(diff(view(*golden), view(*whole), loose))) << to_text(report);
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_EQ(report.relation.name, "data-parallel + megatron-hf");
}

INSTANTIATE_TEST_SUITE_P(Both, DataParallelShapes,
                         ::testing::Combine(::testing::Values(GptKind::hf, GptKind::megatron),
                                            ::testing::Values(Targets::equal, Targets::unequal)));

}  // namespace
}  // namespace goldentrace::cases
