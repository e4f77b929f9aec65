// The figures of the cases at the level of the models: the clean losses, and what each planted fault does to which
// layer.
#include <gtest/gtest.h>

#include <map>

#include "tests/cases/models/case_mlp.h"
#include "tests/cases/models/tiny.h"

namespace goldentrace {
namespace {

using Taps = std::map<std::string, at::Tensor>;

struct TinyRun {
  double loss = 0;
  Taps taps;
};

TinyRun run_tiny(const GptConfig& config, const NamedTensors& weights = tiny_weights()) {
  GptOptions options = tiny_options();
  options.config = config;
  TinyRun run;
  Events events;
  events.parameter = set_weights(weights);
  events.alter = [&](const std::string& layer, at::Tensor output) {
    run.taps[layer] = output.detach().clone();
    return output;
  };
  run.loss = train_gpt(options, events).losses.at(0);
  return run;
}

TinyRun run_tiny_with(const std::string& option, const std::string& value,
                      const NamedTensors& weights = tiny_weights()) {
  GptConfig config = tiny_options().config;
  set_option(config, option, value);
  return run_tiny(config, weights);
}

double max_abs(const TinyRun& a, const TinyRun& b, const std::string& layer) {
  return a.taps.at(layer).sub(b.taps.at(layer)).abs().max().item<double>();
}

TEST(CaseModels, TinyHasTheCleanLoss) { EXPECT_NEAR(run_tiny(tiny_options().config).loss, tiny_clean_loss, 1e-6); }

TEST(CaseModels, A03WithoutACausalMaskOnlyTheProbabilitiesBeforeTheLastPositionMove) {
  const TinyRun clean = run_tiny(tiny_options().config);
  const TinyRun fault = run_tiny_with("mask_rule", "none");
  EXPECT_EQ(max_abs(clean, fault, "h.0.attn.scores"), 0);
  const at::Tensor difference = clean.taps.at("h.0.attn.probs").sub(fault.taps.at("h.0.attn.probs")).abs();
  const double expected[] = {0.808, 0.318, 0.206, 0.201, 0};
  for (int position = 0; position < 5; ++position)
    EXPECT_NEAR(difference.select(2, position).max().item<double>(), expected[position], 6e-4) << position;
}

TEST(CaseModels, A05FormsOfGelu) {
  NamedTensors weights = tiny_weights();
  spread_tiny_gelu(weights);
  const auto act = [&](const std::string& name) { return run_tiny_with("activation_function", name, weights); };
  const TinyRun erf = act("gelu"), tanh = act("gelu_new");
  EXPECT_EQ(max_abs(erf, tanh, "h.0.mlp.c_fc"), 0);
  EXPECT_NEAR(max_abs(erf, tanh, "h.0.mlp.act"), 4.73e-4, 1e-5);
  EXPECT_NEAR(max_abs(erf, act("quick_gelu"), "h.0.mlp.act"), 2.03e-2, 1e-4);
  EXPECT_LT(max_abs(tanh, act("gelu_fast"), "h.0.mlp.act"), 1e-6);
  EXPECT_LT(max_abs(tanh, act("gelu_pytorch_tanh"), "h.0.mlp.act"), 1e-6);
}

TEST(CaseModels, A07AnotherEpsilon) {
  const TinyRun clean = run_tiny(tiny_options().config);
  const TinyRun fault = run_tiny_with("layer_norm_epsilon", "1e-6");
  EXPECT_EQ(max_abs(clean, fault, "drop"), 0);
  EXPECT_NEAR(max_abs(clean, fault, "h.0.ln_1"), 9.2e-4, 1e-5);
}

TEST(CaseModels, A15TheEmbeddingAsHead) {
  const TinyRun clean = run_tiny(tiny_options().config);
  const TinyRun fault = run_tiny_with("tie_word_embeddings", "true");
  EXPECT_EQ(max_abs(clean, fault, "ln_f"), 0);
  EXPECT_NEAR(max_abs(clean, fault, "lm_head"), 0.522, 1e-3);
}

TEST(CaseModels, C03TheLastWindowDividedByItsConfiguredSize) {
  const CaseMlpOptions right{.micro_batches = 5, .window = 2};
  CaseMlpOptions wrong = right;
  wrong.divisor = WindowDivisor::configured;
  const std::vector<double> a = train_case_mlp(right).losses, b = train_case_mlp(wrong).losses;
  ASSERT_EQ(a.size(), 3u);
  EXPECT_NEAR(a[0], 0.542576, 1e-6);
  EXPECT_NEAR(a[1], 0.516416, 1e-6);
  EXPECT_NEAR(a[2], 0.493361, 1e-6);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_EQ(a[1], b[1]);
  EXPECT_EQ(a[2], 2 * b[2]);
}

}  // namespace
}  // namespace goldentrace
