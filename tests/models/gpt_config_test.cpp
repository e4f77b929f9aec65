#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include <limits>

#include "models/gpt.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

void expect_refused(const GptOptions& options, const std::string& part) {
  try {
    check(options);
    ADD_FAILURE() << "accepted, expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

GptOptions small() {
  GptOptions options;
  options.config = {.vocab_size = 11, .n_positions = 5, .n_embd = 8, .n_layer = 1, .n_head = 2};
  options.batch_size = 2;
  options.seq_len = 5;
  return options;
}

GptOptions with(auto change) {
  GptOptions options = small();
  change(options);
  return options;
}

TEST(GptConfig, EveryOptionTakesItsOwnText) {
  GptConfig config;
  for (const auto& [name, text] : describe(config)) set_option(config, name, text);
  EXPECT_EQ(describe(config), describe(GptConfig{}));
  EXPECT_EQ(describe(config).size(), gpt_option_names().size());
}

TEST(GptConfig, OptionsAreSetByName) {
  GptConfig config;
  set_option(config, "n_inner", "12");
  set_option(config, "activation_function", "quick_gelu");
  set_option(config, "mask_fill", "-10000");
  set_option(config, "score_rule", "divide");
  set_option(config, "scale_attn_weights", "false");
  EXPECT_EQ(config.inner(), 12);
  EXPECT_EQ(config.activation_function, Activation::quick_gelu);
  EXPECT_EQ(config.mask_fill, -10000);
  EXPECT_EQ(config.score_rule, ScoreRule::divide);
  EXPECT_FALSE(config.scale_attn_weights);
  set_option(config, "n_inner", "none");
  EXPECT_EQ(config.inner(), 4 * 768);
}

TEST(GptConfig, UnknownOptionsAndValuesSayWhatIsKnown) {
  GptConfig config;
  const auto refusal = [&](const char* option, const char* value) {
    try {
      set_option(config, option, value);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("n_heads", "2"), HasSubstr("n_head,"));
  EXPECT_THAT(refusal("n_head", "2x"), HasSubstr("n_head takes a whole number, not \"2x\""));
  EXPECT_THAT(refusal("n_head", "99999999999999999999"), HasSubstr("takes a whole number"));
  EXPECT_THAT(refusal("resid_pdrop", ""), HasSubstr("takes a number"));
  EXPECT_THAT(refusal("activation_function", "relu"), HasSubstr("gelu_new, gelu_fast"));
  EXPECT_THAT(refusal("tie_word_embeddings", "yes"), HasSubstr("true, false"));
}

TEST(GptConfig, CountsParameters) {
  EXPECT_EQ(parameter_count(dims_of(GptConfig{})), 124439808);  // GPT-2 small
}

TEST(GptOptions, RefusesImpossibleSizes) {
  EXPECT_NO_THROW(check(small()));
  expect_refused(with([](auto& o) { o.config.n_head = 3; }), "n_head 3 does not divide n_embd 8");
  expect_refused(with([](auto& o) { o.config.n_layer = 0; }), "n_layer must be at least 1");
  expect_refused(with([](auto& o) { o.config.vocab_size = -5; }), "vocab_size");
  expect_refused(with([](auto& o) { o.config.vocab_size = huge; }), "this machine has");
  expect_refused(with([](auto& o) { o.config.n_layer = huge; }), "this machine has");
  expect_refused(with([](auto& o) { o.config.n_embd = huge - huge % 2; }), "this machine has");
  expect_refused(with([](auto& o) { o.config.n_inner = huge; }), "this machine has");
  expect_refused(with([](auto& o) { o.steps = huge; }), "this machine has");
  expect_refused(with([](auto& o) { o.batch_size = huge; }), "this machine has");
  expect_refused(with([](auto& o) { o.seq_len = 6; }), "longer than n_positions 5");
  expect_refused(with([](auto& o) { o.seq_len = 1; }), "seq_len");
  expect_refused(with([](auto& o) { o.config.attn_pdrop = 1; }), "attn_pdrop");
  expect_refused(with([](auto& o) { o.config.layer_norm_epsilon = -1; }), "layer_norm_epsilon");
  expect_refused(with([](auto& o) { o.lr = std::numeric_limits<double>::infinity(); }), "lr");
  expect_refused(with([](auto& o) { o.dtype = at::kLong; }), "Long");
  expect_refused(with([](auto& o) { o.steps = 0; }), "steps");
}

GptOptions with_batch(const GptBatch& batch) {
  return with([&](auto& o) { o.batches = {batch}; });
}

at::Tensor row(std::vector<std::int64_t> values) { return at::tensor(values).view({1, -1}); }

TEST(GptOptions, RefusesBatchesThatDoNotFit) {
  expect_refused(with_batch({row({1, 11}), {}, {}}), "ids[0, 1] is 11, outside the vocabulary of 11");
  expect_refused(with_batch({row({-1, 1}), {}, {}}), "ids[0, 0] is -1");
  expect_refused(with_batch({row({1, 2, 3, 4, 5, 6}), {}, {}}), "longer than n_positions 5");
  expect_refused(with_batch({row({1}), {}, {}}), "without labels a sequence needs 2 ids");
  expect_refused(with_batch({row({1, 2}).to(at::kInt), {}, {}}), "ids must be int64");
  expect_refused(with_batch({row({1, 2}).view({-1}), {}, {}}), "ids must be int64 of shape [batch, seq]");
  expect_refused(with_batch({at::full({0, 3}, 1, at::kLong), {}, {}}), "ids must be");
  expect_refused(with_batch({row({1, 2}), row({1, 11}), {}}), "labels[0, 1] is 11");
  expect_refused(with_batch({row({1, 2}), row({-100, -100}), {}}), "there is no loss");
  expect_refused(with_batch({row({1, 2}), row({1, 2, 3}), {}}), "labels must have the shape of ids");
  expect_refused(with_batch({row({1, 2}), {}, row({1, 2})}), "mask[0, 1] is 2");
  EXPECT_NO_THROW(check(with_batch({row({1, 2}), row({-100, 3}), row({0, 1})})));
}

}  // namespace
}  // namespace goldentrace
