// The Megatron shape beside its figures: labels, masks, prefixes, losses, groups, precision.
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include <map>

#include "models/alibi.h"
#include "models/gpt.h"
#include "models/megatron_inputs.h"
#include "models/megatron_softmax.h"
#include "tests/models/figure_model.h"

namespace goldentrace {
namespace {

using ::testing::ElementsAre;

GptOptions small() {
  GptOptions options;
  options.kind = GptKind::megatron;
  options.megatron = {.num_layers = 3, .hidden_size = 8, .num_attention_heads = 4, .vocab_size = 11};
  options.megatron.attention_dropout = options.megatron.hidden_dropout = 0;
  options.megatron.init_method_std = 0.3;
  options.batch_size = 2;
  options.seq_len = 6;
  options.threads = 1;
  return options;
}

GptOptions with(std::initializer_list<std::pair<const char*, const char*>> settings) {
  GptOptions options = small();
  for (const auto& [name, value] : settings) set_option(options, name, value);
  return options;
}

at::Tensor row(std::initializer_list<std::int64_t> values) {
  return at::tensor(std::vector<std::int64_t>(values), at::kLong).unsqueeze(0);
}

std::map<std::string, at::Tensor> taps_of(const GptOptions& options) {
  std::map<std::string, at::Tensor> taps;
  Events events;
  events.alter = [&](const std::string& layer, at::Tensor output) {
    taps.emplace(layer, output.detach().clone());
    return output;
  };
  train_gpt(options, events);
  return taps;
}

TEST(Megatron, LabelsCloseInnermostFirst) {
  GptOptions options = with({{"num-layers", "1"}, {"embed-layernorm", "true"}});
  std::vector<std::string> labels;
  Events events;
  events.alter = [&](const std::string& layer, at::Tensor output) {
    labels.push_back(layer);
    return output;
  };
  train_gpt(options, events);
  const std::string attention = "layers.0.self_attention";
  EXPECT_THAT(
      labels,
      ElementsAre("embedding.word", "embedding.norm", "embedding.position", "embedding", "encoder.input",
                  "layers.0.input_layernorm", attention + ".query_key_value", attention + ".query", attention + ".key",
                  attention + ".value", attention + ".scores", attention + ".probs", attention + ".attention_dropout",
                  attention + ".context", attention + ".dense", attention, "layers.0.attention_residual",
                  "layers.0.post_attention_layernorm", "layers.0.mlp.dense_h_to_4h", "layers.0.mlp.activation",
                  "layers.0.mlp.dense_4h_to_h", "layers.0.mlp", "layers.0", "final_layernorm", "logits", "loss"));
}

TEST(Megatron, TapsHaveMegatronsShapes) {
  const auto taps = taps_of(small());
  EXPECT_THAT(taps.at("embedding").sizes(), ElementsAre(2, 6, 8));
  EXPECT_THAT(taps.at("encoder.input").sizes(), ElementsAre(6, 2, 8));
  EXPECT_THAT(taps.at("layers.0.self_attention.query").sizes(), ElementsAre(6, 8, 2));
  EXPECT_THAT(taps.at("layers.0.self_attention.scores").sizes(), ElementsAre(2, 4, 6, 6));
  EXPECT_THAT(taps.at("layers.2").sizes(), ElementsAre(6, 2, 8));
  EXPECT_THAT(taps.at("final_layernorm").sizes(), ElementsAre(2, 6, 8));
  EXPECT_THAT(taps.at("logits").sizes(), ElementsAre(2, 6, 128));
}

// Scores are divided by the layer's number, which the softmax takes back.
TEST(Megatron, QueryKeyScalingMovesScoresAndNothingElse) {
  for (const auto& [layout, coefficients] :
       {std::pair{"classic", std::array{1.0, 2.0, 3.0}}, std::pair{"pipe", std::array{1.0, 1.0, 2.0}}}) {
    const auto on = taps_of(with({{"layout", layout}}));
    const auto off = taps_of(with({{"layout", layout}, {"no-query-key-layer-scaling", "true"}}));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string attention = "layers." + std::to_string(i) + ".self_attention";
      const at::Tensor back = on.at(attention + ".scores").mul(coefficients[i]);
      EXPECT_LT(back.sub(off.at(attention + ".scores")).abs().max().item<double>(), 1e-6) << layout << i;
      EXPECT_LT(on.at(attention + ".probs").sub(off.at(attention + ".probs")).abs().max().item<double>(), 1e-6);
    }
  }
}

GptBatch documents() { return {.ids = row({1, 2, 10, 3, 4, 10, 5}), .labels = row({2, 10, 3, 4, 10, 5, -100})}; }

std::string text_of(const at::Tensor& masked) {
  std::string text;
  for (std::int64_t i = 0; i < masked.size(2); ++i) {
    for (std::int64_t j = 0; j < masked.size(3); ++j) text += masked[0][0][i][j].item<bool>() ? '.' : 'x';
    text += ' ';
  }
  return text;
}

TEST(MegatronInputs, DefaultsAreLeftToTheModel) {
  const MegatronInputs inputs = megatron_inputs({.vocab_size = 11}, documents());
  EXPECT_FALSE(inputs.masked.defined() || inputs.position_ids.defined() || inputs.loss_mask.defined());
}

TEST(MegatronInputs, Resets) {
  const MegatronInputs inputs = megatron_inputs(
      {.vocab_size = 11, .reset_position_ids = true, .reset_attention_mask = true, .eod_mask_loss = true}, documents());
  EXPECT_EQ(text_of(inputs.masked), "x...... xx..... xxx.... ...x... ...xx.. ...xxx. ......x ");
  EXPECT_TRUE(at::equal(inputs.position_ids, row({0, 1, 2, 0, 1, 2, 0})));
  EXPECT_TRUE(at::equal(inputs.loss_mask, row({1, 1, 0, 1, 1, 0, 0}).to(at::kFloat)));
  EXPECT_EQ(inputs.loss_divisor, 0);
}

TEST(MegatronInputs, Prefixes) {
  GptBatch batch = documents();
  batch.prefixes = at::full({1}, 3, at::kLong);
  MegatronConfig config{.vocab_size = 11, .prefix_lm = true};
  MegatronInputs inputs = megatron_inputs(config, batch);
  EXPECT_EQ(text_of(inputs.masked), "xxx.... xxx.... xxx.... xxxx... xxxxx.. xxxxxx. xxxxxxx ");
  EXPECT_EQ(inputs.loss_divisor, 7);
  config.loss_on_targets_only = true;
  inputs = megatron_inputs(config, batch);
  EXPECT_TRUE(at::equal(inputs.loss_mask, row({0, 0, 1, 1, 1, 1, 0}).to(at::kFloat)));
  EXPECT_EQ(inputs.loss_divisor, 4);
  config.prefix_rule = PrefixRule::older;
  inputs = megatron_inputs(config, batch);
  EXPECT_TRUE(at::equal(inputs.loss_mask, row({0, 0, 0, 1, 1, 1, 0}).to(at::kFloat)));
  EXPECT_EQ(inputs.loss_divisor, 0);
}

TEST(MegatronInputs, PrefixesOfDocuments) {
  GptBatch batch = documents();
  batch.prefixes = row({2, 5, 7});
  const MegatronConfig config{.vocab_size = 11, .reset_attention_mask = true, .prefix_lm = true};
  EXPECT_EQ(text_of(megatron_inputs(config, batch).masked), "xx..... xx..... xxx.... ...xx.. ...xx.. ...xxx. ......x ");
  check_prefixes(config, batch);
  batch.prefixes = row({4, 5, -1});
  EXPECT_ANY_THROW(check_prefixes(config, batch));
}

TEST(MegatronInputs, ReweightsByPosition) {
  GptBatch batch{.ids = row({1, 2, 3}), .labels = row({2, 3, 4}), .prefixes = at::full({1}, 1, at::kLong)};
  const MegatronInputs inputs =
      megatron_inputs({.vocab_size = 11, .reweight_loss_based_on_position_frequency = true}, batch);
  EXPECT_TRUE(at::equal(inputs.loss_mask, at::tensor({1.5, 1.0, 0.5}).to(at::kFloat).unsqueeze(0)));
}

TEST(Megatron, PrefixesOpenTheirOwnRowOnly) {
  const auto logits = [](std::int64_t changed_position) {
    GptOptions options = figure_options();
    options.megatron.prefix_lm = true;
    GptBatch& batch = options.batches[0];
    batch.prefixes = at::tensor({5, 9}, at::kLong);
    if (changed_position >= 0) batch.ids[0][changed_position] = 7;
    Events events;
    events.parameter = set_figure_weights();
    return train_gpt(options, events).logits;
  };
  const at::Tensor plain = logits(-1), prefix = logits(4), target = logits(8);
  EXPECT_TRUE(at::equal(plain[0].slice(0, 0, 8), target[0].slice(0, 0, 8)));
  EXPECT_FALSE(at::equal(plain[0][8], target[0][8]));
  for (std::int64_t i = 0; i < 16; ++i) EXPECT_FALSE(at::equal(plain[0][i], prefix[0][i])) << i;
  EXPECT_TRUE(at::equal(plain[1], prefix[1]));
}

TEST(Megatron, PrefixesAreAskedForAndChecked) {
  GptOptions options = with({{"loss-on-targets-only", "true"}});
  EXPECT_ANY_THROW(check(options));
  options.batches = {{.ids = row({1, 2, 3}), .prefixes = at::full({1}, 4, at::kLong)}};
  EXPECT_ANY_THROW(check(options));
  options.batches[0].prefixes.fill_(3);
  check(options);
  options.kind = GptKind::hf;
  EXPECT_ANY_THROW(check(options));
}

TEST(Megatron, GroupsShareTheirKeys) {
  const auto taps = taps_of(with({{"num-query-groups", "2"}}));
  EXPECT_THAT(taps.at("layers.0.self_attention.query_key_value").sizes(), ElementsAre(6, 2, 16));
  const at::Tensor key = taps.at("layers.0.self_attention.key").view({6, 2, 4, 2});
  EXPECT_TRUE(at::equal(key.select(2, 0), key.select(2, 1)));
  EXPECT_FALSE(at::equal(key.select(2, 1), key.select(2, 2)));
}

TEST(Megatron, RefusesOptionsThatExcludeEachOther) {
  using Setting = std::pair<const char*, const char*>;
  const std::vector<std::vector<Setting>> pairs{
      {{"glu-activation", "swiglu"}, {"bias-gelu-fusion", "true"}},
      {{"openai-gelu", "true"}, {"onnx-safe", "true"}},
      {{"position-embedding-type", "rotary"}, {"max-position-embeddings", "6"}},
      {{"position-embedding-type", "alibi"}, {"reset-position-ids", "true"}},
      {{"alibi_rule", "missing"}},
      {{"fp32-residual-connection", "true"}},
      {{"pad-vocab-size-to", "10"}},
      {{"num-query-groups", "3"}}};
  for (const auto& settings : pairs) {
    GptOptions options = small();
    for (const auto& [name, value] : settings) set_option(options, name, value);
    EXPECT_ANY_THROW(check(options)) << settings.back().first;
  }
  check(small());
  EXPECT_ANY_THROW(with({{"position-embedding-type", "alibi,rotary"}}));
  EXPECT_ANY_THROW(with({{"fp16", "true"}}));
}

TEST(Megatron, EveryOptionTakesItsOwnText) {
  MegatronConfig config;
  for (const auto& [name, text] : describe(config)) set_option(config, name, text);
  EXPECT_EQ(describe(config), describe(MegatronConfig{}));
  EXPECT_EQ(describe(config).size(), megatron_option_names().size());
}

// Ranks sum parts of the product: the first tap that rounds otherwise is the output projection of attention.
TEST(Megatron, RanksSumInTheirOrder) {
  const auto whole = taps_of(with({{"pad-vocab-size-to", "128"}}));
  const auto split = taps_of(with({{"pad-vocab-size-to", "128"}, {"tensor-model-parallel-size", "4"}}));
  const std::string attention = "layers.0.self_attention";
  EXPECT_TRUE(at::equal(whole.at(attention + ".context"), split.at(attention + ".context")));
  EXPECT_FALSE(at::equal(whole.at(attention + ".dense"), split.at(attention + ".dense")));
  EXPECT_LT(whole.at("logits").sub(split.at("logits")).abs().max().item<double>(), 1e-5);
  EXPECT_EQ((MegatronConfig{.vocab_size = 50257, .tensor_model_parallel_size = 2}.padded_vocab()), 50432);
  EXPECT_EQ((MegatronConfig{.vocab_size = 50257, .tensor_model_parallel_size = 4}.padded_vocab()), 50688);
  EXPECT_ANY_THROW(check(with({{"tensor-model-parallel-size", "3"}})));
}

// Rounded operands are first seen where the first linear layer multiplies.
TEST(Megatron, RoundedOperandsBeginAtTheFirstLinear) {
  const auto plain = taps_of(small()), rounded = taps_of(with({{"linear_operands", "tf32"}}));
  const std::string first = "layers.0.self_attention.query_key_value";
  EXPECT_TRUE(at::equal(plain.at("layers.0.input_layernorm"), rounded.at("layers.0.input_layernorm")));
  const double error = plain.at(first).sub(rounded.at(first)).norm().div(plain.at(first).norm()).item<double>();
  EXPECT_GT(error, 5e-5);
  EXPECT_LT(error, 1e-3);
}

TEST(Megatron, RefusesHostileSizes) {
  for (const char* size :
       {"num_layers", "hidden_size", "vocab_size", "ffn_hidden_size", "kv_channels", "tensor_model_parallel_size",
        "make_vocab_size_divisible_by", "pad_vocab_size_to", "max_position_embeddings"}) {
    EXPECT_ANY_THROW(check(with({{size, "9223372036854775804"}}))) << size;
    EXPECT_ANY_THROW(check(with({{size, "0"}}))) << size;
  }
}

TEST(Megatron, PadsTheVocabulary) {
  EXPECT_EQ((MegatronConfig{.vocab_size = 50257}.padded_vocab()), 50304);
  EXPECT_EQ((MegatronConfig{.vocab_size = 256}.padded_vocab()), 256);
  EXPECT_EQ((MegatronConfig{.vocab_size = 11, .pad_vocab_size_to = 11}.padded_vocab()), 11);
}

TEST(Megatron, AllMaskedRowsByPath) {
  const at::Tensor scores = at::zeros({1, 1, 1, 4}, at::kHalf), masked = at::full({1, 1, 1, 4}, true);
  MegatronConfig config;
  const auto first = [&](SoftmaxPath path) {
    return megatron_softmax(config, path, scores, masked, 1)[0][0][0][0].item<double>();
  };
  EXPECT_EQ(first(SoftmaxPath::torch), 0.25);
  EXPECT_EQ(first(SoftmaxPath::fused_masked), 0);
  config.mask_fill = MaskFill::minus_10000;
  EXPECT_EQ(first(SoftmaxPath::fused_masked), 0.25);
}

TEST(Megatron, SoftmaxPathFollowsTheSizes) {
  const MegatronConfig config{.num_attention_heads = 4};
  EXPECT_EQ(softmax_path(config, at::kFloat, 4, 256, false), SoftmaxPath::torch);
  EXPECT_EQ(softmax_path(config, at::kHalf, 4, 256, false), SoftmaxPath::fused_causal);
  EXPECT_EQ(softmax_path(config, at::kHalf, 4, 256, true), SoftmaxPath::fused_masked);
  EXPECT_EQ(softmax_path(config, at::kHalf, 4, 5, false), SoftmaxPath::torch);
  EXPECT_EQ(softmax_path(config, at::kHalf, 1, 20, false), SoftmaxPath::torch);
  EXPECT_EQ(softmax_path(config, at::kHalf, 4, 20, true), SoftmaxPath::torch);
}

// The published slopes, and the last bits in which float32 powers differ.
TEST(Alibi, Slopes) {
  const auto slopes = [](std::int64_t heads, SlopePrecision precision) {
    return alibi_slopes(heads, precision).to(at::kDouble);
  };
  EXPECT_TRUE(
      at::equal(slopes(4, SlopePrecision::float64), at::tensor({0.25, 0.0625, 0.015625, 0.00390625}, at::kDouble)));
  const at::Tensor twelve = slopes(12, SlopePrecision::float64);
  EXPECT_NEAR(twelve[8].item<double>(), 0.70710678, 2e-8);
  EXPECT_NEAR(twelve[11].item<double>(), 0.08838835, 2e-8);
  EXPECT_EQ(slopes(12, SlopePrecision::float32).ne(twelve).sum().item<std::int64_t>(), 2);
  EXPECT_EQ(slopes(112, SlopePrecision::float32).ne(slopes(112, SlopePrecision::float64)).sum().item<std::int64_t>(),
            99);
}

TEST(Alibi, FaultsMoveTheScores) {
  const auto scores = [](const char* rule) {
    return taps_of(with({{"position-embedding-type", "alibi"}, {"alibi_rule", rule}, {"layout", "classic"}}));
  };
  const auto main = scores("main"), scaled = scores("scaled"), missing = scores("missing");
  const auto at_layer = [](const auto& taps, const char* layer) {
    return taps.at(std::string("layers.") + layer + ".self_attention.probs");
  };
  EXPECT_TRUE(at::equal(at_layer(main, "0"), at_layer(scaled, "0")));
  EXPECT_FALSE(at::equal(at_layer(main, "1"), at_layer(scaled, "1")));
  EXPECT_FALSE(at::equal(at_layer(main, "0"), at_layer(missing, "0")));
}

TEST(Megatron, HalfTypesKeepTheirPlaces) {
  GptOptions options = with({{"fp32-residual-connection", "true"}});
  options.dtype = at::kHalf;
  const auto taps = taps_of(options);
  EXPECT_EQ(taps.at("embedding").scalar_type(), at::kHalf);
  EXPECT_EQ(taps.at("encoder.input").scalar_type(), at::kFloat);
  EXPECT_EQ(taps.at("layers.0.input_layernorm").scalar_type(), at::kHalf);
  EXPECT_EQ(taps.at("layers.0").scalar_type(), at::kFloat);
  EXPECT_EQ(taps.at("final_layernorm").scalar_type(), at::kHalf);
  EXPECT_EQ(taps.at("logits").scalar_type(), at::kFloat);
  set_option(options, "fp16-lm-cross-entropy", "true");
  EXPECT_EQ(taps_of(options).at("loss").scalar_type(), at::kHalf);
}

}  // namespace
}  // namespace goldentrace
