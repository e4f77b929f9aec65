#include "checkpoints/hf_index.h"

#include <gmock/gmock.h>

#include "checkpoints/hf_config.h"
#include "checkpoints/hf_names.h"
#include "checkpoints/small_file.h"
#include "tests/support/temporary_folder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string refusal(const std::string& json) {
  try {
    parse_hf_index(json);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "read " << json.substr(0, 100);
  return {};
}

TEST(HfIndex, GivesTheFileOfEachTensor) {
  EXPECT_THAT(
      parse_hf_index(R"({"metadata": {"total_size": 8, "x": [1, {"y": null}]}, "weight_map": {"a": "f", "b": "g"}})"),
      UnorderedElementsAre(Pair("a", "f"), Pair("b", "g")));
}

TEST(HfIndex, AnythingElseIsRefusedByItsField) {
  EXPECT_THAT(refusal("[]"), HasSubstr("is a list"));
  EXPECT_THAT(refusal("7"), HasSubstr("is no object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("has no weight_map"));
  EXPECT_THAT(refusal(R"({"weight_map": 3})"), HasSubstr("weight_map is no object"));
  EXPECT_THAT(refusal(R"({"weight_map": "a"})"), HasSubstr("weight_map is no object"));
  EXPECT_THAT(refusal(R"({"weight_map": {"a": 1}})"), HasSubstr("a is no text"));
  EXPECT_THAT(refusal(R"({"weight_map": {"a": {"b": "c"}}})"), HasSubstr("a is no text"));
  EXPECT_THAT(refusal(R"({"weight_map": {"a": ["c"]}})"), HasSubstr("a is a list"));
  EXPECT_THAT(refusal(R"({"weight_map": {"a": "f", "a": "g"}})"), HasSubstr("a twice"));
  EXPECT_THAT(refusal(R"({"weight_map": {}, "weight_map": {}})"), HasSubstr("weight_map twice"));
  EXPECT_THAT(refusal(R"({"weight_map": {"a": "f"})"), HasSubstr("no valid JSON at byte"));
  EXPECT_THAT(refusal(std::string(R"({"metadata": )") + std::string(1'000'000, '[')), HasSubstr("nested too deeply"));
}

TEST(HfIndex, FilesStayInTheFolder) {
  for (const char* name : {"../x", "/etc/passwd", "a/b", "..", "."})
    EXPECT_THAT(refusal(R"({"weight_map": {"a": ")" + std::string(name) + R"("}})"), HasSubstr("is in the file"));
}

class HfConfigFile : public ::testing::Test {
 protected:
  std::string refused(const std::string& json) const {
    write_small_file(folder_ / "config.json", json);
    try {
      read_hf_config(folder_ / "config.json");
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "read " << json;
    return {};
  }

 private:
  testing_support::TemporaryFolder folder_;
};

TEST_F(HfConfigFile, FieldsAreCheckedBeforeTheyAreBelieved) {
  const std::string sizes = R"("n_layer": 1, "n_head": 2, "vocab_size": 5, "n_positions": 4)";
  EXPECT_THAT(refused("{"), HasSubstr("config.json: is no valid JSON at byte"));
  EXPECT_THAT(refused("[1]"), HasSubstr("is no JSON object"));
  EXPECT_THAT(refused("{}"), HasSubstr("model_type is missing"));
  EXPECT_THAT(refused(R"({"model_type": "llama"})"), HasSubstr("model_type llama"));
  EXPECT_THAT(refused(R"({"model_type": "gpt2", )" + sizes + "}"), HasSubstr("n_embd is missing"));
  EXPECT_THAT(refused(R"({"model_type": "gpt2", "n_embd": "8", )" + sizes + "}"),
              HasSubstr("n_embd is no whole number"));
  EXPECT_THAT(refused(R"({"model_type": "gpt2", "n_embd": 7, )" + sizes + "}"), HasSubstr("not divisible"));
  EXPECT_THAT(refused(R"({"model_type": "gpt2", "n_embd": 9223372036854775807, )" + sizes + "}"),
              HasSubstr("hidden size is"));
  EXPECT_THAT(refused(R"({"model_type": "gpt2", "n_embd": 8, "activation_function": "relu", )" + sizes + "}"),
              HasSubstr("activation_function relu"));
  EXPECT_THAT(refused(R"({"model_type": "gpt2", "n_embd": 8, "scale_attn_by_inverse_layer_idx": true, )" + sizes + "}"),
              HasSubstr("scale_attn_by_inverse_layer_idx has no partner"));
  EXPECT_THAT(refused(std::string(2'000'000, ' ')), HasSubstr("is longer than"));
}

TEST(HfNames, TranslateBothWays) {
  EXPECT_EQ(hf_key(HfModel::gpt2, "layers.12.self_attention.query_key_value.bias"),
            "transformer.h.12.attn.c_attn.bias");
  EXPECT_EQ(hf_key(HfModel::bloom, "word_embeddings.norm.weight"), "transformer.word_embeddings_layernorm.weight");
  EXPECT_EQ(hf_key(HfModel::gpt2, "head.weight"), "lm_head.weight");
  EXPECT_EQ(canonical_key(HfModel::gpt2, "h.0.ln_1.weight"), "layers.0.input_layernorm.weight");
  EXPECT_EQ(canonical_key(HfModel::gpt2, "transformer.wte.weight"), "word_embeddings.weight");
  for (const char* name : {"h.x.ln_1.weight", "h.01.ln_1.weight", "h..ln_1.weight", "h.0.ln_3.weight", "wte", "",
                           "h.99999999999999999999.ln_1.weight"})
    EXPECT_FALSE(canonical_key(HfModel::gpt2, name)) << name;
}

}  // namespace
}  // namespace goldentrace
