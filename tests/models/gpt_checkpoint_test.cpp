#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "checkpoints/safetensors.h"
#include "models/gpt.h"
#include "tests/support/temporary_folder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Weights = std::map<std::string, at::Tensor>;

class GptCheckpoint : public ::testing::Test {
 protected:
  static GptOptions options(bool tied) {
    GptOptions options;
    options.config = {
        .vocab_size = 11, .n_positions = 5, .n_embd = 8, .n_layer = 2, .n_head = 2, .tie_word_embeddings = tied};
    options.seq_len = 5;
    return options;
  }

  static Weights drawn(bool tied) {
    Weights weights;
    Events events;
    events.parameter = [&](const std::string& name, const at::Tensor& value) {
      weights[name] = value.detach().clone();
    };
    train_gpt(options(tied), events);
    return weights;
  }

  GptResult load(const Weights& weights, bool tied, const std::function<void(GptOptions&)>& change = {}) {
    std::vector<SafetensorsTensor> out;
    for (const auto& [name, tensor] : weights)
      out.push_back({name,
                     tensor.scalar_type() == at::kFloat ? DType::float32 : DType::int32,
                     tensor.sizes().vec(),
                     {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}});
    write_safetensors(path_, out);
    GptOptions loading = options(tied);
    loading.checkpoint = path_;
    loading.lr = 0;
    if (change) change(loading);
    return train_gpt(loading);
  }

  std::string refusal(const Weights& weights, bool tied, const std::function<void(GptOptions&)>& change = {}) {
    try {
      load(weights, tied, change);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path_.string()));
      return error.what();
    }
    return "accepted";
  }

 private:
  testing_support::TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "weights.safetensors";
};

TEST_F(GptCheckpoint, WeightsComeBack) {
  const Weights weights = drawn(false);
  const GptResult result = load(weights, false);
  EXPECT_EQ(result.parameters.size(), weights.size());
  for (const NamedTensor& entry : result.parameters) EXPECT_TRUE(at::equal(entry.tensor, weights.at(entry.name)));
  EXPECT_TRUE(result.notes.empty());
}

TEST_F(GptCheckpoint, ListsMissingAndUnexpectedKeys) {
  Weights weights = drawn(true);
  auto node = weights.extract("transformer.h.1.mlp.c_fc.weight");
  node.key() = "transformer.h.1.layernorm_mlp.fc1_weight";
  weights.insert(std::move(node));
  EXPECT_THAT(refusal(weights, true), HasSubstr("1 missing: transformer.h.1.mlp.c_fc.weight; 1 unexpected: "
                                                "transformer.h.1.layernorm_mlp.fc1_weight"));
}

TEST_F(GptCheckpoint, RefusesOtherShapesAndTypesByName) {
  Weights weights = drawn(true);
  EXPECT_THAT(refusal(weights, true, [](GptOptions& o) { o.config.n_positions = 7; }),
              HasSubstr("transformer.wpe.weight is [5, 8], the model needs [7, 8]"));
  weights["transformer.ln_f.bias"] = at::full({8}, 1, at::kInt);
  EXPECT_THAT(refusal(weights, true), HasSubstr("transformer.ln_f.bias is int32"));
}

TEST_F(GptCheckpoint, RefusesAKeyInBothForms) {
  Weights weights = drawn(true);
  weights["wte.weight"] = weights["transformer.wte.weight"];
  EXPECT_THAT(refusal(weights, true), HasSubstr("transformer.wte.weight is there with and without its prefix"));
}

TEST_F(GptCheckpoint, OfATiedModelEitherEndMayBeAbsent) {
  const Weights only_embedding = drawn(true);
  EXPECT_TRUE(load(only_embedding, true).notes.empty());
  Weights only_head = only_embedding;
  auto node = only_head.extract("transformer.wte.weight");
  node.key() = "lm_head.weight";
  only_head.insert(std::move(node));
  const GptResult result = load(only_head, true);
  EXPECT_TRUE(at::equal(find_tensor(result.parameters, "transformer.wte.weight"), only_head.at("lm_head.weight")));
  EXPECT_THAT(result.notes, ElementsAre("the tied embedding was read from lm_head.weight"));
  EXPECT_THAT(refusal(only_embedding, false), HasSubstr("1 missing: lm_head.weight"));
  EXPECT_THAT(refusal(only_head, false), HasSubstr("1 missing: transformer.wte.weight"));
}

TEST_F(GptCheckpoint, ATiedHeadThatDiffersIsNoted) {
  Weights weights = drawn(true);
  weights["lm_head.weight"] = weights["transformer.wte.weight"].clone();
  EXPECT_TRUE(load(weights, true).notes.empty());
  weights["lm_head.weight"] = weights["lm_head.weight"].add(1);
  const GptResult result = load(weights, true);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("tied but different")));
  EXPECT_TRUE(
      at::equal(find_tensor(result.parameters, "transformer.wte.weight"), weights.at("transformer.wte.weight")));
  weights["lm_head.weight"] = at::full({3, 3}, 1, at::kFloat);
  EXPECT_THAT(refusal(weights, true), HasSubstr("lm_head.weight is [3, 3]"));
}

TEST_F(GptCheckpoint, WeightsAreConvertedToTheModelsType) {
  const Weights weights = drawn(true);
  const GptResult result = load(weights, true, [](GptOptions& o) { o.dtype = at::kBFloat16; });
  const at::Tensor& table = find_tensor(result.parameters, "transformer.wte.weight");
  EXPECT_TRUE(at::equal(table, weights.at("transformer.wte.weight").to(at::kBFloat16)));
}

TEST_F(GptCheckpoint, AMissingFileIsNamed) {
  GptOptions absent = options(true);
  absent.checkpoint = "absent.safetensors";
  EXPECT_THROW(train_gpt(absent), Error);
}

}  // namespace
}  // namespace goldentrace
