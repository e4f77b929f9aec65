#include "models/gpt_presets.h"

#include <gmock/gmock.h>

#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::ElementsAre;

GptOptions preset(GptKind kind, const char* name) {
  GptOptions options;
  options.kind = kind;
  apply_preset(options, name);
  return options;
}

double billions(const GptOptions& options) { return parameter_count(dims_of(options)) / 1e9; }

TEST(GptPresets, HaveTheirSize) {
  EXPECT_THAT(gpt_presets(), ElementsAre("13B-en", "13B-ml", "200B"));
  EXPECT_NEAR(billions(preset(GptKind::megatron, "13B-en")), 12.9, 0.1);
  EXPECT_NEAR(billions(preset(GptKind::hf, "13B-en")), 12.9, 0.1);
  EXPECT_NEAR(billions(preset(GptKind::megatron, "13B-ml")), 13.4, 0.1);
  EXPECT_NEAR(billions(preset(GptKind::megatron, "200B")), 202.7, 0.5);
  EXPECT_NEAR(billions(preset(GptKind::bloom, "200B")), 202.7, 0.5);
}

TEST(GptPresets, AreRefusedWhole) {
  for (const std::string& name : gpt_presets()) {
    EXPECT_THROW(check(preset(GptKind::megatron, name.c_str())), Error) << name;
  }
  EXPECT_THROW(preset(GptKind::megatron, "14B"), Error);
  EXPECT_THROW(preset(GptKind::hf, "200B"), Error);
  EXPECT_THROW(preset(GptKind::bloom, "13B-en"), Error);
}

// Reduced in every size, a preset trains a step; its switches stay.
TEST(GptPresets, RunAtReducedWidth) {
  for (const std::string& name : gpt_presets()) {
    GptOptions options = preset(GptKind::megatron, name.c_str());
    for (const auto& [option, value] : {std::pair{"num_layers", "2"}, std::pair{"hidden_size", "32"},
                                        std::pair{"num_attention_heads", "4"}, std::pair{"vocab_size", "50"}})
      set_option(options, option, value);
    options.seq_len = 8;
    EXPECT_EQ(train_gpt(options).losses.size(), 1U) << name;
    EXPECT_EQ(options.megatron.embed_layernorm, name == "200B");
  }
}

}  // namespace
}  // namespace goldentrace
