// What the judges in Python cannot see: labels and events, dropout, determinism. Bits are judged in
// tests/oracle/models.
#include "models/gpt.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace goldentrace {
namespace {

using ::testing::ElementsAre;

GptOptions small() {
  GptOptions options;
  options.config = {.vocab_size = 11, .n_positions = 6, .n_embd = 8, .n_layer = 2, .n_head = 2};
  options.batch_size = 2;
  options.seq_len = 6;
  options.steps = 2;
  options.threads = 1;
  return options;
}

GptOptions without_dropout() {
  GptOptions options = small();
  options.config.embd_pdrop = options.config.attn_pdrop = options.config.resid_pdrop = 0;
  return options;
}

// Names of the labels of one forward pass, in the order in which they close.
std::vector<std::string> closing_labels(const GptOptions& options) {
  std::vector<std::string> labels;
  Events events;
  events.alter = [&](const std::string& layer, at::Tensor output) {
    labels.push_back(layer);
    return output;
  };
  train_gpt(options, events);
  return labels;
}

TEST(Gpt, LabelsCloseInnermostFirst) {
  GptOptions options = small();
  options.config.n_layer = options.steps = 1;
  EXPECT_THAT(closing_labels(options),
              ElementsAre("wte", "wpe", "drop", "h.0.ln_1", "h.0.attn.c_attn", "h.0.attn.scores", "h.0.attn.probs",
                          "h.0.attn.attn_dropout", "h.0.attn.context", "h.0.attn.c_proj", "h.0.attn.resid_dropout",
                          "h.0.attn", "h.0.attention_residual", "h.0.ln_2", "h.0.mlp.c_fc", "h.0.mlp.act",
                          "h.0.mlp.c_proj", "h.0.mlp.dropout", "h.0.mlp", "h.0", "ln_f", "lm_head", "loss"));
}

std::vector<std::string> observed;

// The same labels are what any observer of the program sees.
TEST(Gpt, LabelsAreUserScopes) {
  observed.clear();
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(nullptr, [](const at::RecordFunction& function, at::ObserverContext*) {
        observed.emplace_back(function.name());
      }).scopes({at::RecordScope::USER_SCOPE}));
  const std::vector<std::string> labels = closing_labels(small());
  at::removeCallback(handle);
  EXPECT_EQ(observed, labels);
}

TEST(Gpt, EventsComeInProgramOrder) {
  std::vector<std::string> heard;
  Events events;
  events.step = [&](std::int64_t step) { heard.push_back("step " + std::to_string(step)); };
  events.micro = [&](std::int64_t micro) { heard.push_back("micro " + std::to_string(micro)); };
  events.input = [&](const std::string& name, const at::Tensor&) { heard.push_back(name); };
  events.loss = [&](const at::Tensor& loss) { heard.push_back(loss.dim() == 0 ? "loss" : "wrong shape"); };
  events.update = [&] { heard.push_back("update"); };
  events.step_loss = [&](const at::Tensor& loss) { heard.push_back(loss.requires_grad() ? "attached" : "step loss"); };
  train_gpt(small(), events);
  EXPECT_THAT(heard, ElementsAre("step 0", "micro 0", "ids", "labels", "loss", "update", "step loss", "step 1",
                                 "micro 0", "ids", "labels", "loss", "update", "step loss"));
}

TEST(Gpt, DefaultLabelsAreTheNextIds) {
  GptOptions options = small();
  options.batches = {{at::tensor({1, 2, 3, 4}, at::kLong).view({2, 2}), {}, {}}};
  at::Tensor labels;
  Events events;
  events.input = [&](const std::string& name, const at::Tensor& value) {
    if (name == "labels") labels = value;
  };
  train_gpt(options, events);
  EXPECT_TRUE(at::equal(labels, at::tensor({2, -100, 4, -100}, at::kLong).view({2, 2})));
}

TEST(Gpt, ASecondRunIsTheSameAndLeavesNothingBehind) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const at::Tensor before = generator.get_state();
  const GptResult first = train_gpt(small());
  EXPECT_TRUE(at::equal(generator.get_state(), before));
  const GptResult second = train_gpt(small());
  EXPECT_EQ(first.losses, second.losses);
  for (std::size_t i = 0; i < first.parameters.size(); ++i)
    EXPECT_TRUE(at::equal(first.parameters[i].tensor, second.parameters[i].tensor)) << first.parameters[i].name;
}

TEST(Gpt, DataDependOnTheSeedAlone) {
  const auto ids_of = [](const GptOptions& options) {
    std::vector<at::Tensor> ids;
    Events events;
    events.input = [&](const std::string& name, const at::Tensor& value) {
      if (name == "ids") ids.push_back(value);
    };
    train_gpt(options, events);
    return ids;
  };
  const auto with_dropout = ids_of(small()), without = ids_of(without_dropout());
  EXPECT_TRUE(at::equal(with_dropout[1], without[1]));
  EXPECT_FALSE(at::equal(with_dropout[0], with_dropout[1]));
  GptOptions other = small();
  other.seed = 43;
  EXPECT_FALSE(at::equal(ids_of(other)[0], with_dropout[0]));
}

TEST(Gpt, DropoutChangesTheLossAndPaddingChangesTheLogits) {
  EXPECT_NE(train_gpt(small()).losses[0], train_gpt(without_dropout()).losses[0]);
  const auto last_logits = [](std::int64_t first_seen) {
    GptOptions options = without_dropout();
    options.batches = {{at::tensor({1, 2, 3}, at::kLong).view({1, 3}),
                        {},
                        at::tensor({first_seen, std::int64_t{1}, std::int64_t{1}}).view({1, 3})}};
    return train_gpt(options).logits;
  };
  EXPECT_FALSE(at::equal(last_logits(0), last_logits(1)));
}

// Each mask rule by the keys that a query sees: probability 0 elsewhere.
TEST(Gpt, MaskRulesAndFill) {
  const auto seen = [](const std::string& rule, const std::string& fill) {
    GptOptions options = without_dropout();
    set_option(options.config, "mask_rule", rule);
    set_option(options.config, "mask_fill", fill);
    options.batches = {{at::tensor({1, 2, 3}, at::kLong).view({1, 3}), {}, {}}};
    std::string text;
    Events events;
    events.alter = [&](const std::string& layer, at::Tensor output) {
      if (layer == "h.0.attn.probs" && text.empty())
        for (int i = 0; i < 9; ++i) text += output[0][0][i / 3][i % 3].item<float>() == 0 ? '.' : 'x';
      return output;
    };
    train_gpt(options, events);
    return text;
  };
  EXPECT_EQ(seen("causal", "none"), "x..xx.xxx");
  EXPECT_EQ(seen("inverted", "none"), "xxx.xx..x");
  EXPECT_EQ(seen("shifted", "none"), "xx.xxxxxx");
  EXPECT_EQ(seen("none", "none"), "xxxxxxxxx");
  EXPECT_EQ(seen("causal", "-10000"), "x..xx.xxx");
  EXPECT_EQ(seen("causal", "-1"), "xxxxxxxxx");
}

// The rule of transformers 4: another rounding in bfloat16 at head size 32, none in exact arithmetic.
TEST(Gpt, TheDividingScoreRuleOnlyRoundsOtherwise) {
  const auto scores = [](ScoreRule rule, at::ScalarType dtype) {
    GptOptions options = without_dropout();
    options.config.n_embd = 64;
    options.config.initializer_range = 0.2;
    options.config.score_rule = rule;
    options.config.scale_attn_by_inverse_layer_idx = true;
    options.dtype = dtype;
    at::Tensor found;
    Events events;
    events.alter = [&](const std::string& layer, at::Tensor output) {
      if (layer == "h.1.attn.scores" && !found.defined()) found = output.detach().to(at::kDouble);
      return output;
    };
    train_gpt(options, events);
    return found;
  };
  const auto worst = [&](at::ScalarType dtype) {
    const at::Tensor a = scores(ScoreRule::multiply, dtype), b = scores(ScoreRule::divide, dtype);
    return a.sub(b).abs().div(a.abs()).max().item<double>();
  };
  EXPECT_LT(worst(at::kDouble), 1e-12);
  EXPECT_GT(worst(at::kBFloat16), 1e-3);
}

TEST(Gpt, AFaultInsideALabelReachesTheLoss) {
  const std::vector<double> clean = train_gpt(small()).losses;
  for (const std::string target : {"wte", "h.1.attn.probs", "h.1", "ln_f", "loss"}) {
    Events events;
    events.alter = [&](const std::string& layer, at::Tensor output) {
      return layer == target ? output.mul(1.5) : output;
    };
    EXPECT_NE(train_gpt(small(), events).losses[0], clean[0]) << target;
  }
}

TEST(Gpt, NamesOfOptimizers) {
  EXPECT_EQ(parse_optimizer_kind(name(OptimizerKind::adamw)), OptimizerKind::adamw);
  EXPECT_EQ(parse_optimizer_kind(name(OptimizerKind::sgd)), OptimizerKind::sgd);
  EXPECT_ANY_THROW(parse_optimizer_kind("adam"));
}

}  // namespace
}  // namespace goldentrace
