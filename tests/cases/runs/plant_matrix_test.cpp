// Every kind of planted fault at the first, a middle and the last layer of both trainers: the diff names that layer,
// the extra op and the right origin.
#include <gtest/gtest.h>

#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

struct Fault {
  std::string kind;
  std::string layer;
  std::string op;  // the first op that only the faulty run has
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.kind << '@' << fault.layer; }

const std::vector<std::pair<std::string, std::string>> kinds = {
    {"scale=1.01", "aten::mul"},   {"offset=0.5", "aten::add"}, {"negate", "aten::neg"},   {"shift", "aten::roll"},
    {"zero-row", "aten::reshape"}, {"nan", "aten::reshape"},    {"round-bf16", "aten::to"}};

std::vector<Fault> at_layers(const std::vector<std::string>& layers) {
  std::vector<Fault> faults;
  for (const std::string& layer : layers) {
    for (const auto& [kind, op] : kinds) faults.push_back({kind, layer, op});
  }
  return faults;
}

std::vector<Fault> gpt_faults() {
  std::vector<Fault> faults = at_layers({"wte", "h.1.mlp.c_fc", "lm_head"});
  faults.push_back({"swap-heads", "h.0.attn.c_attn", "aten::reshape"});
  faults.push_back({"swap-heads", "h.1.attn.scores", "aten::flip"});
  faults.push_back({"swap-heads", "h.1.attn.context", "aten::reshape"});
  return faults;
}

template <class Options>
class Golden {
 public:
  explicit Golden(const Options& options) : options_(options) { record(folder_ / "golden.h5", options_); }

  Report against(const Fault& fault) const {
    record(folder_ / "faulty.h5", options_, {.plant = fault.kind + "@" + fault.layer});
    return compare(folder_ / "golden.h5", folder_ / "faulty.h5");
  }

 private:
  testing_support::TemporaryFolder folder_;
  Options options_;
};

void expect_found(const Report& report, const Fault& fault) {
  EXPECT_EQ(report.verdict, Verdict::diverged) << report.reason;
  ASSERT_FALSE(report.roots.empty());
  EXPECT_EQ(first_divergence(report), fault.layer + " output 0 introduced");
  const Divergence& root = report.roots.front();
  EXPECT_EQ(root.pair.id.pass, Pass::forward);
  EXPECT_EQ(root.pair.id.step, 0);
  ASSERT_TRUE(root.op.has_value());
  EXPECT_EQ(root.op->status, "only_in_b");
  EXPECT_EQ(root.op->name, fault.op);
}

class MlpFault : public testing::TestWithParam<Fault> {};

TEST_P(MlpFault, IsFound) {
  static const Golden<MlpOptions> golden(small_mlp());
  const Report report = golden.against(GetParam());
  expect_found(report, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Matrix, MlpFault, testing::ValuesIn([] {
                           auto faults = at_layers({"layers.0", "layers.1", "layers.3"});
                           // Cross entropy does not see a constant added to every class: see AddedConstant below.
                           std::erase_if(faults, [](const Fault& fault) {
                             return fault.layer == "layers.3" && fault.kind.starts_with("offset");
                           });
                           return faults;
                         }()));

class GptFault : public testing::TestWithParam<Fault> {};

TEST_P(GptFault, IsFound) {
  static const Golden<GptOptions> golden(small_gpt());
  const Report report = golden.against(GetParam());
  expect_found(report, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Matrix, GptFault, testing::ValuesIn(gpt_faults()));

TEST(AddedConstant, BeforeASoftmaxIsAbsorbed) {
  const Golden<GptOptions> golden(small_gpt());
  for (const char* layer : {"h.0.attn.scores", "h.1.attn.scores"}) {
    const Report report = golden.against({"offset=0.5", layer, ""});
    EXPECT_EQ(report.verdict, Verdict::same) << layer << ": " << first_divergence(report);
    EXPECT_GT(report.absorbed, 0) << layer;
    EXPECT_TRUE(std::any_of(report.absorbed_records.begin(), report.absorbed_records.end(),
                            [&](const PairReport& pair) { return pair.id.layer == layer; }));
  }
}

TEST(AddedConstant, BeforeALayerNormIsAbsorbed) {
  GptOptions options = small_gpt();
  options.config.embd_pdrop = options.config.attn_pdrop = options.config.resid_pdrop = 0;
  const Report report = Golden<GptOptions>(options).against({"offset=0.125", "h.1", ""});
  EXPECT_EQ(report.verdict, Verdict::same) << first_divergence(report);
  EXPECT_GT(report.absorbed, 0);
}

// In the training steps the loss absorbs it; the evaluation has no loss, its rows are the result.
TEST(AddedConstant, IsFoundWhereTheOutputIsTheResult) {
  const Report report = Golden<MlpOptions>(small_mlp()).against({"offset=0.5", "layers.3", "aten::add"});
  EXPECT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(first_divergence(report), "layers.3 output 0 introduced");
  ASSERT_FALSE(report.roots.empty());
  EXPECT_EQ(report.roots.front().pair.id.step, 2);
  EXPECT_GT(report.absorbed, 0);
}

// The softmax brings the difference into the gate, the gradients out of it again.
TEST(ShrunkDifference, IsNamedWhereItWasMade) {
  GptOptions options = small_gpt();
  options.config.n_layer = 3;
  options.config.n_embd = 16;
  options.config.vocab_size = 31;
  const Report report = Golden<GptOptions>(options).against({"round-bf16", "h.1.attn.scores", "aten::to"});
  expect_found(report, {"round-bf16", "h.1.attn.scores", "aten::to"});
  for (const PairReport& pair : report.absorbed_records) EXPECT_NE(pair.id.layer, "h.1.attn.scores");
}

TEST(Unplanted, IsCertifiedToTheEnd) {
  const testing_support::TemporaryFolder folder;
  for (const char* file : {"a.h5", "b.h5"}) record(folder / file, small_gpt());
  const Report report = compare(folder / "a.h5", folder / "b.h5", {.gate = {.kind = GateKind::bitwise}});
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
  EXPECT_GT(report.compared, 0);
  EXPECT_EQ(report.bitwise_equal, report.compared);
  EXPECT_EQ(report.certified_prefix, report.compared);
}

}  // namespace
}  // namespace goldentrace::cases
