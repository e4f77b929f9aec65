// The relation `tensor-parallel` on runs of the Megatron shape that were cut into ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/text_report.h"
#include "tests/cases/models/tiny.h"
#include "tests/cases/runs/runs.h"
#include "tests/cases/runs/split_trace.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

using ::testing::HasSubstr;

class TensorParallel : public ::testing::Test {
 protected:
  GptOptions options(std::int64_t heads) const {
    GptOptions result = tiny_megatron_options();
    result.megatron.num_attention_heads = heads;
    result.megatron.pad_vocab_size_to = 12;
    result.steps = 2;
    return result;
  }
  void run(const std::string& file, const GptOptions& settings) const {
    record(folder_ / file, settings, {.parameter = set_by_formula([](const auto&, at::Tensor t) { return t; })});
  }
  TraceReader open(const std::string& file) const { return TraceReader(folder_ / file); }

  testing_support::TemporaryFolder folder_;
};

void expect_same(const Report& report) {
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_THAT(report.relation.name, HasSubstr("tensor-parallel"));
  EXPECT_EQ(report.mismatched, 0);
  EXPECT_TRUE(report.missing.empty());
  EXPECT_TRUE(report.extra.empty());
}

TEST_F(TensorParallel, RanksAreTheWholeModel) {
  for (const std::int64_t ranks : {2, 4}) {
    run("a.h5", options(4));
    const TraceReader whole = open("a.h5");
    testing::MemoryTrace cut;
    split_over_ranks(whole, {ranks, 4, false}, cut);
    expect_same(diff(view(whole), cut.view()));
    expect_same(diff(cut.view(), view(whole)));
    const Report alone = diff(cut.view());
    EXPECT_EQ(exit_code(alone), 0) << to_text(alone);
    EXPECT_GT(alone.checks.front().collectives, 0);
    EXPECT_GT(alone.checks.front().replicas, 0);
  }
}

TEST_F(TensorParallel, OtherNumbersOfRanksMeet) {
  run("a.h5", options(4));
  const TraceReader whole = open("a.h5");
  testing::MemoryTrace two, four;
  split_over_ranks(whole, {2, 4, false}, two);
  split_over_ranks(whole, {4, 4, false}, four);
  expect_same(diff(two.view(), four.view()));
}

TEST_F(TensorParallel, GatesAndValuesOfAGatedMlpAreRegrouped) {
  GptOptions gated = options(2);
  gated.megatron.glu_activation = GluActivation::swiglu;
  run("a.h5", gated);
  const TraceReader whole = open("a.h5");
  testing::MemoryTrace right, wrong;
  split_over_ranks(whole, {2, 2, true}, right);
  split_over_ranks(whole, {2, 2, false}, wrong);
  expect_same(diff(view(whole), right.view()));
  const Report report = diff(view(whole), wrong.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "layers.0.mlp.dense_h_to_4h param weight weight") << to_text(report);
}

TEST_F(TensorParallel, ANormThatDriftsOnOneRankIsNamed) {
  run("a.h5", options(2));
  const TraceReader whole = open("a.h5");
  testing::MemoryTrace cut;
  split_over_ranks(whole, {2, 2, false}, cut);
  for (std::size_t row = 0; row < cut.records.size(); ++row) {
    const RecordId& id = cut.records[row].id;
    if (id.rank != 1 || id.step != 1 || id.layer != "layers.1.input_layernorm" || id.role != Role::param) continue;
    if (id.pass == Pass::forward && id.index == "weight") {
      testing::Tensor value{cut.records[row].dtype, cut.records[row].shape, cut.payloads[row]};
      value.bytes.front() ^= std::byte{1};
      cut.replace(row, value);
    }
  }
  const Report alone = diff(cut.view());
  EXPECT_EQ(exit_code(alone), 1);
  EXPECT_EQ(describe(alone.roots.front().pair.id),
            "step 1 · micro 0 · rank 1 · forward · layers.1.input_layernorm · param weight");
  EXPECT_EQ(exit_code(diff(view(whole), cut.view())), 1);
}

}  // namespace
}  // namespace goldentrace::cases
