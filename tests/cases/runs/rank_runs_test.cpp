// GPTs in the shape of Megatron trained and recorded by real processes, against the whole model in one process and
// against each other; with what goes wrong on ranks.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "diff/text_report.h"
#include "models/rank_link.h"
#include "tests/cases/runs/runs.h"
#include "tests/models/rank_processes.h"
#include "tests/support/temporary_folder.h"
#include "traces/rank_files.h"
#include "traces/trace_reader.h"

namespace goldentrace::cases {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char *folder_variable = "GOLDENTRACE_CASE_FOLDER", *case_variable = "GOLDENTRACE_CASE";

// The run that the name of a case stands for: "tp2", "tp2.swiglu", "tp2.dropout.stale-seed".
class RankCase {
 public:
  explicit RankCase(std::string name) : name_(std::move(name)) {}

  bool says(const char* word) const { return name_.find(word) != std::string::npos; }
  std::int64_t tensor() const { return says("tp4") ? 4 : says("tp2") ? 2 : 1; }
  std::int64_t processes() const { return tensor() * (says("dp2") ? 2 : 1); }

  GptOptions options() const {
    GptOptions options;
    options.kind = GptKind::megatron;
    options.megatron = {.num_layers = 2,
                        .hidden_size = 64,
                        .num_attention_heads = 4,
                        .vocab_size = 100,
                        .tensor_model_parallel_size = tensor(),
                        .pad_vocab_size_to = 128,
                        .attention_dropout = says("dropout") ? 0.2 : 0,
                        .hidden_dropout = says("dropout") ? 0.2 : 0};
    if (says("swiglu")) options.megatron.glu_activation = GluActivation::swiglu;
    if (says("reset")) options.megatron.reset_position_ids = options.megatron.reset_attention_mask = true;
    options.batch_size = 4;
    options.seq_len = 8;
    options.steps = 2;
    options.lr = 0.1;
    options.threads = 1;
    if (says("padding")) {
      GptBatch& batch = options.batches.emplace_back();
      batch.ids = at::arange(32, at::kLong).view({4, 8});
      batch.mask = batch.ids.remainder(8).lt(6).to(at::kLong);
    }
    return options;
  }

  RankFault fault(std::int64_t rank) const {
    RankFault fault;
    if (says("left-out") && rank == 1) fault.left_out = "layers.0.self_attention.dense.all_reduce";
    if (says("alone") && rank == 1) fault.left_out = "layers.1.mlp.dense_h_to_4h.all_reduce";
    if (says("repeated")) fault.repeated = "layers.1.mlp.dense_h_to_4h.all_reduce";
    if (says("stale-seed") && rank == 1) fault.stale_seed = true;
    return fault;
  }

 private:
  std::string name_;
};

// Rows as if gates and values were one matrix.
void split_in_wrong_order(RankGroup& ranks, const std::string& name, const at::Tensor& parameter) {
  if (name.find("dense_h_to_4h") == std::string::npos) return;
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> gates, values;
  for (const at::Tensor& part : ranks.gather(parameter, name)) {
    gates.push_back(part.chunk(2, 0)[0]);
    values.push_back(part.chunk(2, 0)[1]);
  }
  const at::Tensor whole = at::cat({at::cat(gates, 0), at::cat(values, 0)}, 0);
  parameter.copy_(whole.chunk(ranks.size(), 0)[static_cast<std::size_t>(ranks.index())]);
}

// A norm of rank 1 that is not what the update of step 0 made of it.
class DriftingNorm {
 public:
  void watch(const std::string& name, const at::Tensor& parameter) {
    if (name == "layers.1.input_layernorm.weight") norm_ = parameter;
  }
  void enter(const std::string& layer) {
    if (layer != "encoder.input" || ++steps_ != 2) return;
    const at::DisableRecordFunctionGuard unobserved;
    const at::NoGradGuard no_gradients;
    norm_.mul_(1.001);
  }

 private:
  at::Tensor norm_;
  int steps_ = 0;
};

Header facts(const RankCase& which, std::int64_t rank) {
  return {{"rank", std::to_string(rank)},
          {"ranks", std::to_string(which.processes())},
          {"ranks.data", std::to_string(which.processes() / which.tensor())},
          {"ranks.tensor", std::to_string(which.tensor())},
          {"run.id", "case"}};
}

TEST(RankRunBody, DISABLED_Record) {
  const RankCase which(std::getenv(case_variable));
  RankLink link(*rank_place(), 60s);
  RankMesh mesh(link, which.tensor());
  GptOptions options = which.options();
  options.processes = link.ranks();
  options.ranks = &mesh;
  options.fault = which.fault(link.rank());
  Variation variation;
  variation.recorder.header = facts(which, link.rank());
  DriftingNorm drift;
  variation.parameter = [&](const std::string& name, const at::Tensor& parameter) {
    if (which.says("wrong-order")) split_in_wrong_order(mesh.tensor(), name, parameter);
    drift.watch(name, parameter);
  };
  variation.alter = [&](const std::string& layer, at::Tensor output) {
    if (which.says("drifting") && link.rank() == 1) drift.enter(layer);
    return output;
  };
  const std::filesystem::path run = std::filesystem::path(std::getenv(folder_variable)) / "run.h5";
  record(rank_path(run, link.rank()), options, variation);
  link.leave();
}

class RankRuns : public ::testing::Test {
 protected:
  // All rank files as one trace.
  TraceReader record_ranks(const std::string& name) const {
    const RankCase which(name);
    const std::filesystem::path folder = folder_ / name;
    std::filesystem::create_directory(folder);
    setenv(folder_variable, folder.c_str(), 1);
    setenv(case_variable, name.c_str(), 1);
    EXPECT_TRUE(
        testing_support::all_passed(testing_support::run_ranks(which.processes(), "RankRunBody.DISABLED_Record")));
    return TraceReader(folder / "run.h5");
  }
  // The whole model in one process; `sums`: with products summed as those of the ranks are.
  TraceReader record_whole(const std::string& name, bool sums = false) const {
    const std::filesystem::path path = folder_ / "whole.h5";
    GptOptions options = RankCase(name).options();
    if (!sums) options.megatron.tensor_model_parallel_size = 1;
    record(path, options);
    return TraceReader(path);
  }

  testing_support::TemporaryFolder folder_;
};

void expect_same(const Report& report, const std::string& relation) {
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_EQ(report.relation.name, relation);
  EXPECT_TRUE(report.missing.empty());
  EXPECT_TRUE(report.extra.empty());
  EXPECT_TRUE(report.relation.unequal_copies.empty());
}

TEST_F(RankRuns, TensorParallelRunsAreTheWholeModel) {
  for (const char* name : {"tp2", "tp4", "tp2.swiglu", "tp2.reset", "tp2.padding"}) {
    const TraceReader ranks = record_ranks(name);
    const TraceReader whole = record_whole(name);
    expect_same(diff(whole, ranks), "tensor-parallel");
    expect_same(diff(ranks, whole), "tensor-parallel");
    const Report alone = diff(ranks);
    EXPECT_EQ(exit_code(alone), 0) << to_text(alone);
    EXPECT_GT(alone.checks.front().collectives, 0);
    EXPECT_GT(alone.checks.front().replicas, 0);
  }
}

TEST_F(RankRuns, OtherNumbersOfRanksMeet) {
  const TraceReader two = record_ranks("tp2"), four = record_ranks("tp4");
  expect_same(diff(two, four), "tensor-parallel");
}

TEST_F(RankRuns, DataAndTensorParallelRunsAreTheWholeModel) {
  for (const char* name : {"tp2.dp2", "tp2.dp2.reset", "tp2.dp2.padding"}) {
    const TraceReader ranks = record_ranks(name);
    const TraceReader whole = record_whole(name);
    expect_same(diff(whole, ranks), "tensor-parallel + data-parallel");
    EXPECT_EQ(exit_code(diff(ranks)), 0) << to_text(diff(ranks));
  }
}

// Sums in the order of the ranks are all that tells the runs apart.
TEST_F(RankRuns, TheFirstBitThatDiffersIsThatOfASum) {
  const TraceReader ranks = record_ranks("tp2");
  const TraceReader whole = record_whole("tp2");
  const Report report = diff(whole, ranks, {.gate = {.kind = GateKind::bitwise}});
  EXPECT_EQ(exit_code(report), 1);
  ASSERT_FALSE(report.roots.empty());
  EXPECT_EQ(report.roots.front().pair.id.layer, "layers.0.self_attention.dense") << to_text(report);
  EXPECT_EQ(report.roots.front().pair.id.role, Role::output);
}

// The same sums in one process: nothing differs before the backward pass.
TEST_F(RankRuns, TheForwardPassHasTheBitsOfTheReference) {
  const TraceReader ranks = record_ranks("tp2");
  const TraceReader sums = record_whole("tp2", true);
  const Report report = diff(sums, ranks, {.gate = {.kind = GateKind::bitwise}});
  ASSERT_FALSE(report.roots.empty());
  EXPECT_EQ(report.roots.front().pair.id.pass, Pass::backward) << to_text(report);
  EXPECT_EQ(report.roots.front().pair.id.step, 0);
}

TEST_F(RankRuns, DropoutIsTheSameEveryTime) {
  const TraceReader first = record_ranks("tp2.dropout");
  const TraceReader again = record_ranks("tp2.dropout");
  const Report report = diff(first, again, {.gate = {.kind = GateKind::bitwise}});
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_EQ(exit_code(diff(first)), 0) << to_text(diff(first));
}

class RankFaults : public RankRuns {
 protected:
  // Against the run without the fault.
  Report compare(const std::string& clean, const std::string& faulty) {
    const TraceReader golden = record_ranks(clean);
    candidate_.emplace(record_ranks(faulty));
    return diff(golden, *candidate_);
  }
  std::optional<TraceReader> candidate_;
};

std::string hints(const Report& report) {
  std::string text;
  for (const Diagnosis& each : report.diagnosis) text += each.kind + ": " + each.text + "\n";
  return text;
}

void expect_found(const Report& report, const std::string& id) {
  EXPECT_EQ(exit_code(report), 1);
  ASSERT_FALSE(report.roots.empty()) << to_text(report);
  EXPECT_EQ(describe(report.roots.front().pair.id_b), id) << to_text(report);
}

TEST_F(RankFaults, AStaleSeed) {
  const Report report = compare("tp2.dropout", "tp2.dropout.stale-seed");
  expect_found(report, "step 0 · micro 0 · rank 1 · forward · layers.0.self_attention.attention_dropout · output 0");
  EXPECT_EQ(report.roots.front().origin, Origin::random);
  EXPECT_THAT(hints(report), HasSubstr("stale-seed: rank 1 draws from the random state of rank 0"));
}

TEST_F(RankFaults, ADriftingNorm) {
  const Report report = compare("tp2", "tp2.drifting");
  expect_found(report, "step 1 · micro 0 · rank 1 · forward · layers.1.input_layernorm · param weight");
  const Report alone = diff(*candidate_);
  expect_found(alone, "step 1 · micro 0 · rank 1 · forward · layers.1 · param input_layernorm.weight");
}

TEST_F(RankFaults, GatesAndValuesInTheWrongOrder) {
  const TraceReader whole = record_whole("tp2.swiglu");
  const Report report = diff(whole, record_ranks("tp2.swiglu.wrong-order"));
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "layers.0.mlp.dense_h_to_4h param weight weight") << to_text(report);
}

TEST_F(RankFaults, AReductionLeftOut) {
  const Report report = compare("tp2", "tp2.left-out");
  expect_found(report, "step 0 · micro 0 · rank 1 · forward · layers.0.self_attention.dense.all_reduce · output 0");
  const Report alone = diff(*candidate_);
  EXPECT_EQ(exit_code(alone), 1);
  EXPECT_THAT(to_text(alone), HasSubstr("the part of rank 0 is left out"));
  // Copies are no pair of records: against the whole model the finding of this run alone has the place.
  const TraceReader whole = record_whole("tp2");
  const Report against_whole = diff(whole, *candidate_);
  EXPECT_EQ(exit_code(against_whole), 1);
  EXPECT_THAT(to_text(against_whole), HasSubstr("the part of rank 0 is left out"));
}

TEST_F(RankFaults, AReductionOfGradientsLeftOut) {
  const Report report = compare("tp2", "tp2.alone");
  expect_found(report, "step 0 · micro 0 · rank 1 · backward · layers.1.mlp.dense_h_to_4h.all_reduce · grad_input 0");
  const Report alone = diff(*candidate_);
  EXPECT_EQ(exit_code(alone), 1);
  EXPECT_THAT(to_text(alone), HasSubstr("the part of rank 0 is left out"));
}

TEST_F(RankFaults, AReductionOfGradientsMadeTwice) {
  const Report report = compare("tp2", "tp2.repeated");
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first_divergence(report), "layers.1.mlp.dense_h_to_4h.all_reduce grad_input 0 introduced")
      << to_text(report);
  EXPECT_THAT(hints(report), HasSubstr("ratio 2.0 = ranks"));
}

}  // namespace
}  // namespace goldentrace::cases
