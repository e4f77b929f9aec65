// The MLP trainer against figures measured with Python torch 2.11.0 on one CPU. Another CPU takes other kernels, so the
// figures are met within a gate here; tests/oracle asks for equal bits, from Python on the same machine.
#include "models/mlp.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros_like.h>
#include <gmock/gmock.h>

#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::ElementsAre;

MlpOptions plain(std::int64_t input_dim) { return {.input_dim = input_dim}; }

MlpOptions accumulated(std::int64_t input_dim) {
  return {.variant = MlpVariant::ga_loop, .input_dim = input_dim, .gradient_accumulation_steps = 8};
}

std::vector<double> first(const std::vector<double>& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Each within 1e-6 relative.
void expect_losses(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-6 * std::abs(expected[i])) << "loss " << i;
}

void expect_row0(const at::Tensor& output, const std::vector<double>& expected) {
  ASSERT_EQ(output.sizes(), (at::IntArrayRef{10, 3}));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(output[0][i].item<double>(), expected[i], 1e-5);
}

TEST(Mlp, PlainFiguresAt64) {
  const MlpResult result = train_mlp(plain(64));
  ASSERT_EQ(result.losses.size(), 64u);
  expect_losses(first(result.losses, 4),
                {1.132559061050415, 1.1271418333053589, 1.1222862005233765, 1.1179120540618896});
  expect_losses({result.losses.back()}, {0.9809573292732239});
  expect_row0(result.evaluation, {-0.7071571350097656, 0.13812464475631714, -0.9581747055053711});
}

TEST(Mlp, PlainFiguresAt512) {
  const MlpResult result = train_mlp(plain(512));
  ASSERT_EQ(result.losses.size(), 64u);
  expect_losses(first(result.losses, 4),
                {1.1404118537902832, 1.1202811002731323, 1.102220058441162, 1.0854004621505737});
  expect_losses({result.losses.back()}, {0.022644245997071266});
  expect_row0(result.evaluation, {-1.1015599966049194, 0.13450494408607483, 1.245322585105896});
}

TEST(Mlp, AccumulatedFigures) {
  expect_losses(train_mlp(accumulated(64)).losses,
                {1.1072216033935547, 1.1060981750488281, 1.105084776878357, 1.1041687726974487, 1.1033389568328857,
                 1.1025855541229248, 1.1018998622894287, 1.1012742519378662});
  expect_losses(train_mlp(accumulated(512)).losses,
                {1.126605749130249, 1.1201105117797852, 1.1145813465118408, 1.109795331954956, 1.105595588684082,
                 1.1018661260604858, 1.0985180139541626, 1.0954807996749878});
}

// 8 shards of 128 rows do the arithmetic of 8 micro-batches of 128 rows, and 8 is a power of two.
TEST(Mlp, ShardsAreMicroBatches) {
  for (const std::int64_t input_dim : {64, 512}) {
    const MlpResult ga = train_mlp(accumulated(input_dim));
    const MlpResult dp =
        train_mlp({.variant = MlpVariant::dp, .batch_size = 1024, .input_dim = input_dim, .shards = 8});
    ASSERT_EQ(dp.losses.size(), 8u);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(dp.losses[i], ga.losses[i], 1.2e-7) << i;
    EXPECT_EQ(dp.micro_losses[0] / 8, ga.micro_losses[0]);
    EXPECT_TRUE(at::equal(dp.evaluation, ga.evaluation));
    for (std::size_t i = 0; i < ga.parameters.size(); ++i)
      EXPECT_TRUE(at::equal(dp.parameters[i].tensor, ga.parameters[i].tensor)) << ga.parameters[i].name;
  }
}

TEST(Mlp, ShardsAreSaidByRank) {
  std::vector<std::int64_t> ranks;
  Events events;
  events.rank = [&](std::int64_t rank) { ranks.push_back(rank); };
  train_mlp({.variant = MlpVariant::dp, .input_dim = 8, .train_dataset_len = 256, .shards = 4}, events);
  EXPECT_THAT(ranks, ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(Mlp, MicroLossesAreDividedAndAddUp) {
  const MlpResult result = train_mlp(accumulated(64));
  ASSERT_EQ(result.micro_losses.size(), 64u);
  float running = 0;
  for (int i = 0; i < 8; ++i) running += static_cast<float>(result.micro_losses[i]);
  EXPECT_EQ(running, static_cast<float>(result.losses[0]));
}

TEST(Mlp, CountersOfTheLog) {
  std::vector<std::string> lines;
  const auto keep = [&](const std::string& line) { lines.push_back(line); };
  MlpOptions options = plain(8);
  options.train_dataset_len = 17 * 128 + 5;
  options.num_epochs = 2;
  const MlpResult result = train_mlp(options, {}, keep);
  EXPECT_EQ(result.losses.size(), 34u);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_THAT(lines[2], ::testing::StartsWith("Epoch 0 step 16 loss "));
  EXPECT_THAT(lines[3], ::testing::StartsWith("Epoch 1 step 0 loss "));
  lines.clear();
  train_mlp(accumulated(8), {}, keep);
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_THAT(lines[0], ::testing::StartsWith("Epoch 0 step 8 loss "));
  EXPECT_THAT(lines[7], ::testing::StartsWith("Epoch 0 step 64 loss "));
}

TEST(Mlp, GivesBackWhatItSets) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const at::Tensor before = generator.get_state();
  const int threads = at::get_num_threads();
  const at::NoGradGuard off;
  MlpOptions options = plain(8);
  options.threads = threads == 1 ? 2 : 1;
  train_mlp(options);
  EXPECT_TRUE(at::equal(generator.get_state(), before));
  EXPECT_EQ(at::get_num_threads(), threads);
  EXPECT_FALSE(at::GradMode::is_enabled());
}

TEST(Mlp, ASecondRunInTheProcessIsTheSame) {
  const MlpResult first_run = train_mlp(plain(16));
  train_mlp({.input_dim = 24, .seed = 7});
  const MlpResult second_run = train_mlp(plain(16));
  EXPECT_EQ(first_run.losses, second_run.losses);
  EXPECT_TRUE(at::equal(first_run.evaluation, second_run.evaluation));
}

// What a listener hears in one update of two micro-batches and in the evaluation.
TEST(Mlp, EventsComeInProgramOrder) {
  std::vector<std::string> heard;
  Events events;
  events.parameter = [&](const std::string& name, const at::Tensor&) { heard.push_back("p " + name); };
  events.step = [&](std::int64_t step) { heard.push_back("step " + std::to_string(step)); };
  events.micro = [&](std::int64_t micro) { heard.push_back("micro " + std::to_string(micro)); };
  events.input = [&](const std::string& name, const at::Tensor&) { heard.push_back("input " + name); };
  events.loss = [&](const at::Tensor& loss) { heard.push_back(loss.dim() == 0 ? "loss" : "wrong shape"); };
  events.update = [&] { heard.push_back("update"); };
  events.step_loss = [&](const at::Tensor& loss) { heard.push_back(loss.dim() == 0 ? "step loss" : "wrong shape"); };
  events.alter = [&](const std::string& layer, at::Tensor output) {
    heard.push_back(layer);
    return output;
  };
  train_mlp({.variant = MlpVariant::ga_loop,
             .batch_size = 2,
             .input_dim = 4,
             .train_dataset_len = 4,
             .gradient_accumulation_steps = 2},
            events);
  EXPECT_THAT(
      heard, ElementsAre("p layers.0.weight", "p layers.0.bias", "p layers.2.weight", "p layers.2.bias",
                         "p layers.3.weight", "p layers.3.bias", "step 0", "micro 0", "input x", "input y", "layers.0",
                         "layers.1", "layers.2", "layers.3", "loss", "loss", "micro 1", "input x", "input y",
                         "layers.0", "layers.1", "layers.2", "layers.3", "loss", "loss", "update", "step loss",
                         "step 1", "micro 0", "input x", "layers.0", "layers.1", "layers.2", "layers.3", "evaluation"));
}

TEST(Mlp, GradientsStartUndefinedAndAddUp) {
  at::Tensor weight;
  std::vector<bool> defined;
  Events events;
  events.parameter = [&](const std::string& name, const at::Tensor& value) {
    if (name == "layers.0.weight") weight = value;
  };
  events.micro = [&](std::int64_t) { defined.push_back(weight.grad().defined()); };
  train_mlp({.variant = MlpVariant::ga_loop,
             .batch_size = 2,
             .input_dim = 4,
             .train_dataset_len = 8,
             .gradient_accumulation_steps = 2},
            events);
  EXPECT_THAT(defined, ElementsAre(false, true, false, true, false));
}

TEST(Mlp, AFaultInsideALabelChangesTheRun) {
  Events events;
  events.alter = [](const std::string& layer, at::Tensor output) {
    return layer == "evaluation" ? at::zeros_like(output) : output;
  };
  const MlpResult clean = train_mlp(plain(8));
  const MlpResult altered = train_mlp(plain(8), events);
  EXPECT_EQ(altered.losses, clean.losses);
  EXPECT_EQ(altered.evaluation.abs().sum().item<double>(), 0);
  EXPECT_NE(clean.evaluation.abs().sum().item<double>(), 0);
}

void expect_refused(const MlpOptions& options, const std::string& part) {
  try {
    check(options);
    ADD_FAILURE() << "accepted, expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
  }
}

TEST(Mlp, RefusesImpossibleOptions) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  expect_refused({.batch_size = 0}, "batch_size must be at least 1");
  expect_refused({.num_epochs = -1}, "num_epochs");
  expect_refused({.lr = std::numeric_limits<double>::quiet_NaN()}, "lr");
  expect_refused({.log_steps = 0}, "log_steps");
  expect_refused({.input_dim = 1}, "input_dim");
  expect_refused({.input_dim = huge}, "this machine has");
  expect_refused({.batch_size = huge}, "this machine has");
  expect_refused({.variant = MlpVariant::ga_loop, .gradient_accumulation_steps = huge}, "this machine has");
  expect_refused({.gradient_accumulation_steps = 2}, "needs the variant ga-loop");
  expect_refused({.input_dim = 8, .train_dataset_len = 127}, "no step to train");
  expect_refused({.variant = MlpVariant::dp, .input_dim = 8, .shards = 3}, "does not divide");
  expect_refused({.input_dim = 8, .shards = 2}, "need the variant dp");
  expect_refused({.dtype = at::kInt}, "Int");
  expect_refused({.threads = -1}, "threads");
}

TEST(Mlp, NamesOfVariants) {
  MlpOptions options;
  for (const char* each : {"plain", "plain-ckpt", "ga-loop", "ga-loop-ckpt", "dp1", "dp8-ckpt"}) {
    set_variant(options, each);
    EXPECT_EQ(variant_name(options), each);
  }
  EXPECT_EQ(options.shards, 8);
  for (const char* each : {"", "dp", "dp0", "dp08", "dp-2", "dp2x", "dp99999999999999999999", "ga", "plain-ckpt-ckpt"})
    EXPECT_THROW(set_variant(options, each), Error) << each;
}

}  // namespace
}  // namespace goldentrace
