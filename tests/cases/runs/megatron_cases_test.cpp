// A08, A10, A19 between two Megatron-shaped runs of TINY: weights that a converter put in a wrong order, scores that
// are scaled and scaled back.
#include <ATen/ops/cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "diff/text_report.h"
#include "tests/cases/models/tiny.h"
#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using Rows = std::vector<std::int64_t>;

const std::string query_key_value = "self_attention.query_key_value", first_linear = "mlp.dense_h_to_4h";

// `order[i]`: which block of rows comes i-th.
at::Tensor reordered(const at::Tensor& tensor, const Rows& order) {
  const std::vector<at::Tensor> blocks = tensor.chunk(static_cast<std::int64_t>(order.size()));
  std::vector<at::Tensor> result;
  for (const std::int64_t block : order) result.push_back(blocks[static_cast<std::size_t>(block)]);
  return at::cat(result);
}

Rows differing_rows(const at::Tensor& a, const at::Tensor& b) {
  Rows rows;
  for (std::int64_t i = 0; i < a.size(0); ++i)
    if (!a[i].equal(b[i])) rows.push_back(i);
  return rows;
}

Rows from_to(std::int64_t first, std::int64_t last) {
  Rows rows;
  for (std::int64_t i = first; i <= last; ++i) rows.push_back(i);
  return rows;
}

class MegatronRuns : public testing::Test {
 protected:
  // Golden with weights by formula, B with the same ones, those whose name contains `part` in another order.
  Report swapped(const GptOptions& options, const std::string& part, const Rows& order) const {
    record(path("a.h5"), options, {.parameter = set_by_formula([](const auto&, at::Tensor t) { return t; })});
    record(path("b.h5"), options, {.parameter = set_by_formula([&](const std::string& name, at::Tensor t) {
                                     return name.find(part) == std::string::npos ? t : reordered(t, order);
                                   })});
    return compare(path("a.h5"), path("b.h5"), {.limit = 1000});
  }

  at::Tensor of_a(const std::string& id) const { return recorded(path("a.h5"), id); }
  at::Tensor of_b(const std::string& id) const { return recorded(path("b.h5"), id); }
  std::filesystem::path path(const std::string& file) const { return folder_ / file; }

  void expect_weight(const Report& report, const std::string& layer, const Rows& rows) const {
    EXPECT_EQ(report.verdict, Verdict::diverged) << report.reason;
    ASSERT_EQ(first_divergence(report), layer + " param weight weight") << to_text(report);
    const std::string id = "0:0:0/forward/" + layer + "#0/param.weight";
    EXPECT_EQ(differing_rows(of_a(id), of_b(id)), rows);
  }

  testing_support::TemporaryFolder folder_;
};

GptOptions grouped(std::int64_t groups, std::int64_t head_size) {
  GptOptions options = tiny_megatron_options();
  options.megatron.num_attention_heads = 4;
  options.megatron.num_query_groups = groups;
  options.megatron.kv_channels = head_size;
  return options;
}

// Stored q0 q1 k0 v0 q2 q3 k1 v1, read as four queries, two keys, two values.
const Rows read_as_thirds{0, 1, 4, 6, 2, 3, 5, 7};

TEST_F(MegatronRuns, A08QueryGroupsReadAsAllQueriesAllKeysAllValues) {
  const Report narrow = swapped(grouped(2, 1), query_key_value, read_as_thirds);
  expect_weight(narrow, "layers.0." + query_key_value, from_to(2, 6));
  const Report wide = swapped(grouped(2, 2), query_key_value, read_as_thirds);
  expect_weight(wide, "layers.0." + query_key_value, from_to(4, 13));
  EXPECT_THAT(wide.diagnosis, Contains(Field(&Diagnosis::text, HasSubstr("2 groups of 2"))));
}

TEST_F(MegatronRuns, A08OfOneGroupBothOrdersAreTheSame) {
  const Report report = swapped(grouped(1, 2), query_key_value, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_EQ(report.bitwise_equal, report.compared);
}

GptOptions gated() {
  GptOptions options = tiny_megatron_options();
  options.megatron.ffn_hidden_size = 4;
  options.megatron.glu_activation = GluActivation::swiglu;
  return options;
}

// Two shards of [gate; up], simply joined.
TEST_F(MegatronRuns, A10GateAndUpInterleavedByShards) {
  const Report report = swapped(gated(), first_linear, {0, 2, 1, 3});
  expect_weight(report, "layers.0." + first_linear, from_to(2, 5));
  EXPECT_THAT(
      report.diagnosis,
      Contains(Field(&Diagnosis::text, HasSubstr("permuted rows: TP merge order of the gated MLP (2 shards)"))));
  for (const PairReport& pair : report.mismatches) {
    if (pair.id.pass == Pass::forward) {
      EXPECT_THAT(pair.id.layer, testing::Not(HasSubstr("layers.0.self_")));
    }
  }
}

TEST_F(MegatronRuns, A10HalvesSeparatedBeforeTheyAreJoinedAgree) {
  const Report report = swapped(gated(), first_linear, {0, 1, 2, 3});
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
}

at::Tensor tiny_rows(const std::string& name, at::Tensor tensor) {
  return name.find(query_key_value) == std::string::npos ? tensor : heads_from_thirds(tensor, 2);
}

GptOptions three_layers(bool scaling) {
  GptOptions options = tiny_megatron_options();
  options.megatron.num_layers = 3;
  options.megatron.layout = MegatronLayers::classic;
  options.megatron.apply_query_key_layer_scaling = scaling;
  return options;
}

TEST_F(MegatronRuns, A19ScoresThatAreScaledBackAreAbsorbed) {
  for (const auto& [file, scaling] : {std::pair("a.h5", false), std::pair("b.h5", true)}) {
    record(path(file), three_layers(scaling), {.parameter = set_by_formula(tiny_rows)});
  }
  const Report report = compare(path("a.h5"), path("b.h5"));
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  std::set<std::string> absorbed;
  for (const PairReport& pair : report.absorbed_records) absorbed.insert(pair.id.layer);
  EXPECT_THAT(absorbed, Contains("layers.1.self_attention.scores"));
  EXPECT_THAT(absorbed, Contains("layers.2.self_attention.scores"));
  for (const std::string& layer : absorbed)
    EXPECT_THAT(layer, testing::MatchesRegex("layers\\.[12]\\.self_attention.*"));
  const double expected[] = {0, 0.104, 0.114};
  for (int i = 0; i < 3; ++i) {
    const std::string id = "0:0:0/forward/layers." + std::to_string(i) + ".self_attention.scores#0/output.0";
    EXPECT_NEAR(of_a(id).sub(of_b(id)).abs().max().item<double>(), expected[i], 6e-4) << i;
  }
}

}  // namespace
}  // namespace goldentrace::cases
