#include "cli/plant.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::HasSubstr;

at::Tensor numbers(at::IntArrayRef shape) {
  return at::arange(1, 1 + c10::multiply_integers(shape), at::kFloat).view(shape);
}

at::Tensor planted(const std::string& text, const at::Tensor& output, std::int64_t heads = 0) {
  const PlantSpec spec = parse_plant(text);
  return Plant(spec, heads).apply(spec.layer, output);
}

std::string refusal(const std::string& text, const at::Tensor& output, std::int64_t heads = 0) {
  try {
    planted(text, output, heads);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Plant, Elementwise) {
  const at::Tensor x = numbers({2, 3});
  EXPECT_TRUE(planted("scale=1.5@l", x).equal(x.mul(1.5)));
  EXPECT_TRUE(planted("offset=-0.25@l", x).equal(x.sub(0.25)));
  EXPECT_TRUE(planted("negate@l", x).equal(x.neg()));
  EXPECT_TRUE(planted("round-bf16@l", x.mul(1.001)).equal(x.mul(1.001).to(at::kBFloat16).to(at::kFloat)));
}

TEST(Plant, RowsAndElements) {
  const at::Tensor x = numbers({2, 2, 3});
  at::Tensor zeroed = x.clone();
  zeroed[0][0].zero_();
  EXPECT_TRUE(planted("zero-row@l", x).equal(zeroed));
  const at::Tensor poisoned = planted("nan@l", x).reshape({-1});
  EXPECT_TRUE(std::isnan(poisoned[0].item<float>()));
  EXPECT_TRUE(poisoned.slice(0, 1).equal(x.reshape({-1}).slice(0, 1)));
}

TEST(Plant, ShiftMovesPositions) {
  const at::Tensor x = numbers({1, 3, 2});
  EXPECT_TRUE(planted("shift@l", x).equal(at::tensor({5., 6., 1., 2., 3., 4.}, at::kFloat).view({1, 3, 2})));
}

TEST(Plant, SwapsHeads) {
  const at::Tensor scores = numbers({1, 2, 2, 2});
  EXPECT_TRUE(planted("swap-heads@h.0.attn.scores", scores, 2).equal(scores.flip({1})));
  const at::Tensor context = numbers({1, 1, 4});
  EXPECT_TRUE(planted("swap-heads@h.0.attn.context", context, 2)
                  .equal(at::tensor({3., 4., 1., 2.}, at::kFloat).view({1, 1, 4})));
  const at::Tensor qkv = numbers({1, 1, 6});
  EXPECT_TRUE(planted("swap-heads@h.0.attn.c_attn", qkv, 2)
                  .equal(at::tensor({2., 1., 4., 3., 6., 5.}, at::kFloat).view({1, 1, 6})));
}

TEST(Plant, LeavesOtherLayersAlone) {
  Plant plant(parse_plant("negate@layers.2"), 0);
  const at::Tensor x = numbers({2});
  EXPECT_TRUE(plant.apply("layers.0", x).is_same(x));
}

TEST(Plant, NamesTheClosestLayers) {
  Plant plant(parse_plant("negate@layers.3"), 0);
  plant.apply("layers.2", numbers({2}));
  plant.apply("loss", numbers({2}));
  try {
    plant.check_seen();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no layer 'layers.3', did you mean layers.2?"));
  }
}

TEST(Plant, RefusesWhatMeansNothing) {
  const at::Tensor row = numbers({3}), scalar = at::ones({}), x = numbers({2, 3});
  EXPECT_THAT(refusal("swap-heads@layers.0", x), HasSubstr("no heads"));
  EXPECT_THAT(refusal("swap-heads@h.0.attn.scores", numbers({1, 1, 2, 2}), 1), HasSubstr("no heads"));
  EXPECT_THAT(refusal("swap-heads@h.0.mlp", numbers({1, 2, 4}), 2), HasSubstr("no heads"));
  EXPECT_THAT(refusal("shift@l", scalar), HasSubstr("no positions"));
  EXPECT_THAT(refusal("shift@l", numbers({1, 1, 2})), HasSubstr("no positions"));
  EXPECT_THAT(refusal("zero-row@l", row), HasSubstr("no rows"));
  EXPECT_THAT(refusal("round-bf16@l", x.to(at::kBFloat16)), HasSubstr("bfloat16 already"));
  EXPECT_THAT(refusal("negate@l", x.to(at::kLong)), HasSubstr("no floating-point"));
}

TEST(ParsePlant, RefusesWhatIsNoPlant) {
  for (const char* text : {"negate", "negate@", "@l", "scale@l", "scale=@l", "scale=x@l", "scale=inf@l", "scale=1@l",
                           "offset=0@l", "negate=2@l", "invert@l", "scale=1.5x@l"}) {
    EXPECT_THROW(parse_plant(text), Error) << text;
  }
}

// Query, key and value of a head lie together: [s, b, (n, 3, d)].
TEST(Plant, SwapsInterleavedHeads) {
  const at::Tensor x = numbers({1, 1, 12});
  const at::Tensor swapped = planted("swap-heads@layers.0.self_attention.query_key_value", x, 2);
  EXPECT_TRUE(swapped.equal(x.view({1, 1, 2, 6}).flip({2}).view({1, 1, 12})));
  EXPECT_TRUE(planted("swap-heads@layers.0.self_attention.context", x, 2).equal(swapped));
}

// Megatron's layers have the sequence first, its embedding and logits the batch.
TEST(Plant, ShiftsAlongTheSequence) {
  const at::Tensor x = numbers({2, 3, 4});
  EXPECT_TRUE(planted("shift@layers.0.mlp", x).equal(x.roll(1, 0)));
  EXPECT_TRUE(planted("shift@encoder.input", x).equal(x.roll(1, 0)));
  EXPECT_TRUE(planted("shift@logits", x).equal(x.roll(1, 1)));
  EXPECT_TRUE(planted("shift@h.0.mlp", x).equal(x.roll(1, 1)));
}

}  // namespace
}  // namespace goldentrace
