// GPTs trained by several processes against one process: tensor-parallel, data-parallel, and both at once.
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "models/gpt.h"
#include "models/gpt_shards.h"
#include "tests/models/rank_processes.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

GptOptions small(GptKind kind = GptKind::megatron) {
  GptOptions options;
  options.kind = kind;
  options.megatron = {.num_layers = 2,
                      .hidden_size = 64,
                      .num_attention_heads = 4,
                      .vocab_size = 500,
                      .pad_vocab_size_to = 512,
                      .attention_dropout = 0,
                      .hidden_dropout = 0};
  for (const auto& [option, value] : std::map<std::string, std::string>{
           {"n_layer", "2"}, {"n_head", "4"}, {"vocab_size", "500"}, {"hidden_size", "64"}})
    if (kind == GptKind::bloom) set_option(options, option, value);
  for (const auto& [option, value] : std::map<std::string, std::string>{{"n_layer", "2"},
                                                                        {"n_embd", "64"},
                                                                        {"n_head", "4"},
                                                                        {"vocab_size", "500"},
                                                                        {"embd_pdrop", "0"},
                                                                        {"attn_pdrop", "0"},
                                                                        {"resid_pdrop", "0"}})
    if (kind == GptKind::hf) set_option(options, option, value);
  options.batch_size = 4;
  options.seq_len = 16;
  options.steps = 2;
  options.threads = 1;
  return options;
}

GptOptions with(GptOptions options, std::initializer_list<std::pair<const char*, const char*>> settings) {
  for (const auto& [name, value] : settings) set_option(options, name, value);
  return options;
}

using Tensors = std::map<std::string, at::Tensor>;

// What one run shows of its first step.
struct Seen {
  Tensors initial, gradients, taps;
  GptResult result;
};

Seen run(const GptOptions& options) {
  Seen seen;
  Tensors parameters;
  Events events;
  events.parameter = [&](const std::string& name, const at::Tensor& parameter) {
    parameters.emplace(name, parameter);
    seen.initial.emplace(name, parameter.detach().clone());
  };
  events.alter = [&](const std::string& layer, at::Tensor output) {
    seen.taps.emplace(layer, output.detach().clone());
    return output;
  };
  events.update = [&] {
    for (const auto& [name, parameter] : parameters) seen.gradients.emplace(name, parameter.grad().clone());
  };
  seen.result = train_gpt(options, events);
  return seen;
}

double relative_distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.to(at::kDouble), distance = x.sub(b.to(at::kDouble));
  return std::sqrt(distance.square().sum().item<double>() / x.square().sum().item<double>());
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

at::Tensor all_gates_then_all_values(const std::vector<at::Tensor>& parts) {
  std::vector<at::Tensor> gates, values;
  for (const at::Tensor& part : parts) {
    gates.push_back(part.chunk(2, 0)[0]);
    values.push_back(part.chunk(2, 0)[1]);
  }
  return at::cat({at::cat(gates, 0), at::cat(values, 0)}, 0);
}

// The whole of what tensor-parallel ranks have of a parameter; copies must be equal.
at::Tensor joined(RankGroup& ranks, const std::string& name, const at::Tensor& mine, bool gated) {
  const std::vector<at::Tensor> parts = ranks.gather(mine, name);
  if (has(name, "dense_h_to_4h") && gated) return all_gates_then_all_values(parts);
  if (has(name, "query_key_value") || has(name, "dense_h_to_4h") || has(name, "word_embeddings.w") ||
      has(name, "head."))
    return at::cat(parts, 0);
  if (has(name, "dense.weight") || has(name, "dense_4h_to_h.weight")) return at::cat(parts, 1);
  for (const at::Tensor& part : parts) EXPECT_TRUE(at::equal(part, parts.front())) << name;
  return parts.front();
}

class GptRankBody : public ::testing::Test {
 protected:
  GptRankBody() : link_(*rank_place(), 60s) {}

  GptOptions spread(GptOptions options, RankMesh& mesh) const {
    options.processes = link_.ranks();
    options.megatron.tensor_model_parallel_size = mesh.tensor().size();
    options.ranks = &mesh;
    return options;
  }

  // Weights bit by bit, losses, gradients and trained weights within what another order of sums makes.
  void expect_close(RankMesh& mesh, const Seen& together, const Seen& whole, const GptOptions& options) const {
    const bool gated = options.megatron.glu_activation.has_value();
    for (std::size_t i = 0; i < whole.result.losses.size(); ++i)
      EXPECT_NEAR(together.result.losses[i], whole.result.losses[i], 1e-4 * whole.result.losses[i]);
    for (const NamedTensor& trained : whole.result.parameters) {
      const std::string& name = trained.name;
      const auto all = [&](const at::Tensor& mine) { return joined(mesh.tensor(), name, mine, gated); };
      EXPECT_TRUE(at::equal(all(together.initial.at(name)), whole.initial.at(name))) << name;
      EXPECT_LT(relative_distance(whole.gradients.at(name), all(together.gradients.at(name))), 1e-5) << name;
      const at::Tensor mine = all(find_tensor(together.result.parameters, name));
      EXPECT_TRUE(at::allclose(mine, trained.tensor, 1e-4, 1e-7)) << name;
    }
  }

  RankLink link_;
};

const char* const whole_everywhere[] = {"embedding.word",
                                        "embedding",
                                        "encoder.input",
                                        "layers.0.self_attention.dense",
                                        "layers.0.attention_residual",
                                        "layers.0.mlp.dense_4h_to_h",
                                        "layers.0",
                                        "layers.1.self_attention.dense",
                                        "layers.1",
                                        "final_layernorm",
                                        "logits",
                                        "loss"};

TEST_F(GptRankBody, DISABLED_TensorParallel) {
  RankMesh mesh(link_, link_.ranks());
  GptOptions half = small();
  half.dtype = at::kBFloat16;
  for (const GptOptions& options :
       {small(), half, with(small(), {{"glu-activation", "swiglu"}, {"untie-embeddings-and-output-weights", "true"}}),
        with(small(), {{"position-embedding-type", "alibi"}, {"embed-layernorm", "true"}}),
        with(small(), {{"position-embedding-type", "rotary"}, {"no-bias-gelu-fusion", "true"}})}) {
    GptOptions one_process = options;
    one_process.megatron.tensor_model_parallel_size = link_.ranks();
    const Seen together = run(spread(options, mesh)), sums = run(one_process);
    for (const char* label : whole_everywhere)
      EXPECT_TRUE(at::equal(together.taps.at(label), sums.taps.at(label)))
          << label << " differs by " << together.taps.at(label).sub(sums.taps.at(label)).abs().max().item().toDouble();
    if (options.dtype == at::kFloat) expect_close(mesh, together, run(options), options);
  }
  link_.leave();
}

// Two heads share a key and a value.
TEST_F(GptRankBody, DISABLED_QueryGroups) {
  RankMesh mesh(link_, link_.ranks());
  const GptOptions options = with(small(), {{"num-query-groups", "2"}});
  expect_close(mesh, run(spread(options, mesh)), run(options), options);
  link_.leave();
}

TEST_F(GptRankBody, DISABLED_DataParallel) {
  RankMesh mesh(link_, 1);
  for (const GptKind kind : {GptKind::hf, GptKind::megatron, GptKind::bloom}) {
    const GptOptions options = small(kind);
    const Seen together = run(spread(options, mesh)), whole = run(options);
    for (std::size_t i = 0; i < whole.result.losses.size(); ++i)
      EXPECT_NEAR(together.result.losses[i], whole.result.losses[i], 1e-5 * whole.result.losses[i]);
    for (const NamedTensor& trained : whole.result.parameters) {
      const auto parts = mesh.data().gather(find_tensor(together.result.parameters, trained.name), trained.name);
      for (const at::Tensor& part : parts) EXPECT_TRUE(at::equal(part, parts.front())) << trained.name;
      EXPECT_TRUE(at::allclose(parts.front(), trained.tensor, 1e-4, 1e-7)) << trained.name;
    }
  }
  link_.leave();
}

TEST_F(GptRankBody, DISABLED_Both) {
  RankMesh mesh(link_, 2);
  const GptOptions options = small();
  expect_close(mesh, run(spread(options, mesh)), run(options), options);
  link_.leave();
}

std::vector<at::Tensor> dropped(RankGroup& ranks, const Seen& seen, const char* label) {
  return ranks.gather(seen.taps.at(label).eq(0), label);
}

// Masks of the residual stream are those of the rows, masks of attention those of the rank.
TEST_F(GptRankBody, DISABLED_Dropout) {
  RankMesh mesh(link_, 2);
  const GptOptions options = spread(with(small(), {{"attention-dropout", "0.5"}, {"hidden-dropout", "0.5"}}), mesh);
  const Seen first = run(options), again = run(options);
  for (const auto& [label, tap] : first.taps) EXPECT_TRUE(at::equal(tap, again.taps.at(label))) << label;
  for (const char* label : {"embedding", "layers.1"}) {
    const auto of_rows = mesh.tensor().gather(first.taps.at(label), label);
    EXPECT_TRUE(at::equal(of_rows[0], of_rows[1])) << label;
  }
  const char* const attention = "layers.0.self_attention.attention_dropout";
  const auto of_ranks = dropped(mesh.tensor(), first, attention), of_parts = dropped(mesh.data(), first, "embedding");
  EXPECT_FALSE(at::equal(of_ranks[0], of_ranks[1]));
  EXPECT_FALSE(at::equal(of_parts[0], of_parts[1]));
  link_.leave();
}

// Beside the all-reduces of both directions there is one label for each; the gradient of the first is a sum.
TEST_F(GptRankBody, DISABLED_Labels) {
  RankMesh mesh(link_, link_.ranks());
  const Seen seen = run(spread(small(), mesh));
  for (const char* label : {"embedding.word.all_reduce", "layers.0.self_attention.query_key_value.all_reduce",
                            "layers.0.self_attention.dense.all_reduce", "layers.1.mlp.dense_h_to_4h.all_reduce",
                            "layers.1.mlp.dense_4h_to_h.all_reduce", "logits.all_reduce", "logits.all_gather"})
    EXPECT_TRUE(seen.taps.contains(label)) << label;
  EXPECT_EQ(seen.taps.at("layers.0.self_attention.query_key_value").size(-1), 192 / link_.ranks());
  EXPECT_EQ(seen.taps.at("layers.0.self_attention.probs").size(1), 4 / link_.ranks());
  EXPECT_EQ(seen.taps.at("logits").size(-1), 512);
  link_.leave();
}

bool pass_on(std::int64_t ranks, const char* body) {
  return testing_support::all_passed(testing_support::run_ranks(ranks, std::string("GptRankBody.DISABLED_") + body));
}

TEST(GptRanks, TensorParallelIsTheReferenceBitByBit) {
  EXPECT_TRUE(pass_on(2, "TensorParallel"));
  EXPECT_TRUE(pass_on(4, "TensorParallel"));
}
TEST(GptRanks, QueryGroupsAreShared) { EXPECT_TRUE(pass_on(2, "QueryGroups")); }
TEST(GptRanks, DataParallelIsTheWholeBatch) { EXPECT_TRUE(pass_on(2, "DataParallel")); }
TEST(GptRanks, DataAndTensorParallelIsTheWholeModel) { EXPECT_TRUE(pass_on(4, "Both")); }
TEST(GptRanks, DropoutFollowsRowsAndRanks) { EXPECT_TRUE(pass_on(4, "Dropout")); }
TEST(GptRanks, ReductionsHaveLabels) { EXPECT_TRUE(pass_on(2, "Labels")); }

std::string complaint(GptOptions options, std::int64_t processes, std::int64_t degree) {
  options.processes = processes;
  options.megatron.tensor_model_parallel_size = degree;
  try {
    check(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GptRanks, WhatCannotBeSharedIsRefused) {
  EXPECT_EQ(complaint(small(), 4, 2), "");
  EXPECT_THAT(complaint(small(), 3, 2), HasSubstr("does not divide the number of ranks 3"));
  EXPECT_THAT(complaint(small(), 8, 8), HasSubstr("does not divide num_attention_heads 4"));
  EXPECT_THAT(complaint(with(small(), {{"num-query-groups", "2"}}), 4, 4), HasSubstr("num_query_groups 2"));
  EXPECT_THAT(complaint(with(small(), {{"ffn-hidden-size", "30"}}), 4, 4), HasSubstr("ffn_hidden_size 30"));
  EXPECT_THAT(complaint(with(small(), {{"pad-vocab-size-to", "514"}}), 4, 4), HasSubstr("the padded vocabulary 514"));
  EXPECT_THAT(complaint(small(), 6, 2), HasSubstr("data-parallel ranks 3 does not divide batch_size 4"));
  EXPECT_THAT(complaint(small(GptKind::hf), 3, 1), HasSubstr("does not divide batch_size 4"));
  GptOptions given = small();
  given.batches = {{.ids = at::full({2, 8}, 3, at::kLong), .labels = at::full({2, 8}, 4, at::kLong)}};
  EXPECT_EQ(complaint(given, 2, 1), "");
  given.batches[0].labels[1].fill_(ignored_label);
  EXPECT_THAT(complaint(given, 2, 1), HasSubstr("there is no loss"));
}

}  // namespace
}  // namespace goldentrace
