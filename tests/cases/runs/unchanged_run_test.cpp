// F13: recording does not change the run, in any mode.
#include <ATen/Context.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"

namespace goldentrace::cases {
namespace {

struct Mode {
  std::string name;
  RecorderOptions recorder;
};

// `golden`: for the mode that compares with one.
std::vector<Mode> modes(const std::string& layer, const std::filesystem::path& golden) {
  std::vector<Mode> list{{"full", {}}, {"sketch", {}},    {"one layer", {}}, {"one step", {}},
                         {"ops", {}},  {"unchecked", {}}, {"check", {}}};
  list[1].recorder.capture = Capture::sketch;
  list[2].recorder.layers = {layer};
  list[3].recorder.steps = {1};
  list[4].recorder.ops = true;
  list[5].recorder.self_check = SelfCheck::none;
  list[6].recorder.capture = Capture::check;
  list[6].recorder.golden = golden;
  return list;
}

void expect_equal(const NamedTensors& a, const NamedTensors& b, const std::string& mode) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(at::equal(a[i].tensor, b[i].tensor)) << mode << ": " << a[i].name;
}

at::Tensor generator_state() { return at::globalContext().defaultGenerator(at::kCPU).get_state(); }

TEST(UnchangedRun, Mlp) {
  const testing_support::TemporaryFolder folder;
  const MlpResult plain = train_mlp(small_mlp());
  record(folder / "golden.h5", small_mlp());
  for (const Mode& mode : modes("layers.1", folder / "golden.h5")) {
    const MlpResult recorded = record(folder / "run.h5", small_mlp(), {.recorder = mode.recorder});
    EXPECT_EQ(recorded.losses, plain.losses) << mode.name;
    EXPECT_TRUE(at::equal(recorded.evaluation, plain.evaluation)) << mode.name;
    expect_equal(recorded.parameters, plain.parameters, mode.name);
  }
}

// Without dropout, with a head of its own: the model TINY of the public cases.
GptOptions tiny_gpt() {
  GptOptions options = small_gpt();
  GptConfig& config = options.config;
  config.n_inner = 16;
  config.tie_word_embeddings = false;
  config.embd_pdrop = config.attn_pdrop = config.resid_pdrop = 0;
  return options;
}

void expect_unchanged(const GptOptions& options) {
  const testing_support::TemporaryFolder folder;
  const GptResult plain = train_gpt(options);
  record(folder / "golden.h5", options);
  for (const Mode& mode : modes("h.1.mlp.act", folder / "golden.h5")) {
    const GptResult recorded = record(folder / "run.h5", options, {.recorder = mode.recorder});
    EXPECT_EQ(recorded.losses, plain.losses) << mode.name;
    EXPECT_TRUE(at::equal(recorded.logits, plain.logits)) << mode.name;
    expect_equal(recorded.parameters, plain.parameters, mode.name);
  }
}

TEST(UnchangedRun, Gpt) { expect_unchanged(small_gpt()); }
TEST(UnchangedRun, Tiny) { expect_unchanged(tiny_gpt()); }

// The trainer gives the generator back at its end, so the state is looked at inside the run, at every loss.
TEST(UnchangedRun, NoRandomNumberIsDrawn) {
  const testing_support::TemporaryFolder folder;
  const auto states = [](const Events& base) {
    std::vector<at::Tensor> list;
    Events events = base;
    events.update = [&list, inner = base.update] {
      if (inner) inner();
      list.push_back(generator_state());
    };
    train_gpt(small_gpt(), events);
    return list;
  };
  const std::vector<at::Tensor> plain = states({});
  RecorderOptions options;
  options.output = folder / "run.h5";
  Recorder recorder(options);
  Events events;
  events.step = [&](std::int64_t step) { recorder.step(step); };
  events.loss = [&](const at::Tensor& loss) { recorder.loss(loss); };
  events.update = [&] { recorder.update(); };
  const std::vector<at::Tensor> recorded = states(events);
  recorder.close();
  ASSERT_EQ(plain.size(), recorded.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(at::equal(plain[i], recorded[i])) << i;
}

// A trace of one layer agrees bit for bit with the same layer of a full trace.
TEST(UnchangedRun, CommonRecordsAgree) {
  const testing_support::TemporaryFolder folder;
  record(folder / "full.h5", small_gpt());
  Variation one;
  one.recorder.layers = {"h.1.mlp.act"};
  record(folder / "one.h5", small_gpt(), one);
  const Report report =
      compare(folder / "full.h5", folder / "one.h5", {.gate = {.kind = GateKind::bitwise}, .filter = "h.1.mlp.act"});
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
  EXPECT_GT(report.compared, 0);
}

}  // namespace
}  // namespace goldentrace::cases
