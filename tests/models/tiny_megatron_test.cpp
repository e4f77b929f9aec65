// TINY, the GPT of the cases, in Megatron's shape: its loss and the figures of the cases that need Megatron's options.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>

#include "models/gpt.h"

namespace goldentrace {
namespace {

constexpr std::int64_t heads = 2, head_size = 4, words = 11;
constexpr double clean_loss = 2.369936;

// The n-th tensor: 0.3 sin(1 + i k), k = 0.37 + 0.11 n. Rows of query_key_value are given as (3, heads, head size).
at::Tensor formula(int n, const std::string& name, at::IntArrayRef shape) {
  const std::int64_t count = c10::multiply_integers(shape);
  const at::Tensor flat = at::arange(count, at::kDouble).mul(0.37 + 0.11 * n).add(1).sin().mul(0.3).to(at::kFloat);
  const at::Tensor value = flat.view(shape);
  if (name.find("query_key_value") == std::string::npos) return value;
  return value.view({3, heads, head_size, -1}).transpose(0, 1).reshape(shape);
}

std::function<void(const std::string&, const at::Tensor&)> set_tiny_weights() {
  return [n = std::make_shared<int>(0)](const std::string& name, const at::Tensor& parameter) {
    const at::NoGradGuard no_gradients;
    if (name == "word_embeddings.weight") *n = 0;
    const bool table = name == "word_embeddings.weight" || name == "head.weight";
    const at::Tensor rows = table ? parameter.slice(0, 0, words) : parameter;
    parameter.zero_();
    rows.copy_(formula((*n)++, name, rows.sizes()));
  };
}

GptOptions tiny() {
  GptOptions options;
  options.kind = GptKind::megatron;
  options.megatron = {.num_layers = 2,
                      .hidden_size = 8,
                      .num_attention_heads = heads,
                      .ffn_hidden_size = 16,
                      .vocab_size = words,
                      .pad_vocab_size_to = words,
                      .max_position_embeddings = 5,
                      .untie_embeddings_and_output_weights = true,
                      .attention_dropout = 0,
                      .hidden_dropout = 0};
  const at::Tensor place = at::arange(10, at::kLong).view({2, 5});
  options.batches = {{.ids = place.mul(3).add(1).remainder(words), .labels = place.mul(3).add(4).remainder(words)}};
  return options;
}

struct TinyRun {
  double loss = 0;
  std::map<std::string, at::Tensor> taps;
};

TinyRun run(const GptOptions& options) {
  TinyRun result;
  Events events;
  events.parameter = set_tiny_weights();
  events.alter = [&](const std::string& layer, at::Tensor output) {
    result.taps.emplace(layer, output.detach().clone());
    return output;
  };
  result.loss = train_gpt(options, events).losses[0];
  return result;
}

double distance(const TinyRun& a, const TinyRun& b, const std::string& layer) {
  return a.taps.at(layer).sub(b.taps.at(layer)).abs().max().item<double>();
}

TEST(TinyMegatron, HasTheLossOfTheHuggingFaceShape) { EXPECT_NEAR(run(tiny()).loss, clean_loss, 1e-6); }

// Case A13: zero rows of a padded head enter the softmax of the loss unless the loss leaves them out.
TEST(TinyMegatron, PaddingOfTheVocabulary) {
  GptOptions padded = tiny();
  padded.megatron.pad_vocab_size_to = 16;
  const TinyRun over_padding = run(padded);
  EXPECT_NEAR(over_padding.loss, 2.718525, 1e-6);
  padded.megatron.loss_over_padding = false;
  EXPECT_NEAR(run(padded).loss, clean_loss, 1e-6);
  const at::Tensor common = over_padding.taps.at("logits").narrow(-1, 0, words);
  EXPECT_LT(common.sub(run(tiny()).taps.at("logits")).abs().max().item<double>(), 1e-6);
}

// Case A15: the embedding in the place of the head changes the logits and nothing before them.
TEST(TinyMegatron, TiedWhereItShouldNotBe) {
  GptOptions tied = tiny();
  tied.megatron.untie_embeddings_and_output_weights = false;
  const TinyRun wrong = run(tied), right = run(tiny());
  EXPECT_EQ(distance(wrong, right, "final_layernorm"), 0);
  EXPECT_NEAR(distance(wrong, right, "logits"), 0.522, 1e-3);
}

// Case A19 (i): scores of layers 1 and 2 differ, all else agrees within an ulp.
TEST(TinyMegatron, QueryKeyLayerScaling) {
  GptOptions options = tiny();
  options.megatron.num_layers = 3;
  options.megatron.layout = MegatronLayers::classic;
  const TinyRun scaled = run(options);
  options.megatron.apply_query_key_layer_scaling = false;
  const TinyRun plain = run(options);
  EXPECT_EQ(distance(scaled, plain, "layers.0.self_attention.scores"), 0);
  EXPECT_NEAR(distance(scaled, plain, "layers.1.self_attention.scores"), 0.104, 1e-3);
  EXPECT_NEAR(distance(scaled, plain, "layers.2.self_attention.scores"), 0.114, 1e-3);
  for (const char* layer : {"layers.1.self_attention.probs", "layers.2.self_attention.probs", "logits"})
    EXPECT_LT(distance(scaled, plain, layer), 1e-6) << layer;
}

// Case A07: an epsilon of 1e-6 is first seen at the first norm.
TEST(TinyMegatron, Epsilon) {
  GptOptions other = tiny();
  other.megatron.layernorm_epsilon = 1e-6;
  const TinyRun right = run(tiny()), wrong = run(other);
  EXPECT_EQ(distance(right, wrong, "encoder.input"), 0);
  EXPECT_NEAR(distance(right, wrong, "layers.0.input_layernorm"), 9.2e-4, 1e-5);
}

// Case B06: operands with 10 bits of mantissa.
TEST(TinyMegatron, RoundedOperands) {
  GptOptions other = tiny();
  other.megatron.linear_operands = LinearOperands::tf32;
  const TinyRun right = run(tiny()), rounded = run(other);
  EXPECT_EQ(distance(right, rounded, "layers.0.input_layernorm"), 0);
  double worst = 0;
  for (const auto& [layer, value] : right.taps)
    worst = std::max(worst, value.sub(rounded.taps.at(layer)).norm().div(value.norm()).item<double>());
  EXPECT_GT(worst, 1e-4);
  EXPECT_LT(worst, 1e-3);
}

}  // namespace
}  // namespace goldentrace
