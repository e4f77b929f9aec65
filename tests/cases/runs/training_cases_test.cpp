// C01, C03, C06, C08 and runs that are split in other ways, as recorded programs.
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "cli/wire.h"
#include "diff/relation/built_in.h"
#include "diff/text_report.h"
#include "tests/cases/models/case_mlp.h"
#include "tests/cases/runs/runs.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace_reader.h"

namespace goldentrace::cases {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

auto hint_says(const std::string& text) { return Contains(Field(&Diagnosis::text, HasSubstr(text))); }

template <class Body>
at::Tensor layer(const char* label, const Body& body) {
  RECORD_USER_SCOPE(label);
  return body();
}

void backward(const at::Tensor& loss) { torch::autograd::backward({loss}, {}); }

class TrainingCases : public testing::Test {
 protected:
  void run(const std::string& file, const Header& header, const std::function<void(Recorder&)>& program) const {
    RecorderOptions options;
    options.output = path(file);
    options.header = header;
    Recorder recorder(options);
    program(recorder);
    recorder.close();
  }
  Report compared(const DiffOptions& options = {}) const { return compare(path("a.h5"), path("b.h5"), options); }
  Report alone(const std::string& file) const { return diff(TraceReader(path(file))); }
  std::filesystem::path path(const std::string& file) const { return folder_ / file; }

  testing_support::TemporaryFolder folder_;
};

std::string first(const Report& report) {
  return report.roots.empty() ? "none" : describe(report.roots.front().pair.id);
}

// C01: one token of loss 2 w, then seven of 5 w, with w = 1.

at::Tensor labels(std::int64_t counted) {
  at::Tensor result = at::full({7}, -100, at::kLong);
  result.slice(0, 0, counted).zero_();
  return result;
}

enum class Mean { of_tokens, of_means };

void accumulate(Recorder& recorder, Mean mean) {
  const at::Tensor w = at::ones({}).requires_grad_();
  recorder.watch("w", w);
  recorder.step(0);
  at::Tensor running = at::zeros({});
  for (const std::int64_t micro : {0, 1}) {
    const std::int64_t tokens = micro == 0 ? 1 : 7;
    recorder.micro(micro);
    recorder.input("labels", labels(tokens));
    const at::Tensor losses = layer("model", [&] { return at::full({tokens}, micro == 0 ? 2.F : 5.F).mul(w); });
    const at::Tensor loss = layer(
        "loss", [&] { return losses.mean().mul(mean == Mean::of_tokens ? static_cast<double>(tokens) / 8 : 0.5); });
    recorder.loss(loss);
    backward(loss);
    running += loss.detach();
  }
  recorder.update();
  recorder.step_loss(running);
}

TEST_F(TrainingCases, C01MeanOfMeans) {
  const Header header{{"model.gradient_accumulation_steps", "2"}};
  run("a.h5", header, [](Recorder& recorder) { accumulate(recorder, Mean::of_tokens); });
  run("b.h5", header, [](Recorder& recorder) { accumulate(recorder, Mean::of_means); });
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 0 · micro 0 · rank 0 · forward · loss · output 0");
  EXPECT_THAT(report.diagnosis, hint_says("3.5 = average of micro-batch means; token-weighted would be 4.625"));
}

// C03: five micro-batches in windows of two.

TEST_F(TrainingCases, C03LastWindowDividedByItsConfiguredSize) {
  const Header header{{"model.gradient_accumulation_steps", "2"}};
  const auto train = [](Recorder& recorder, WindowDivisor divisor) {
    train_case_mlp({.micro_batches = 5, .window = 2, .divisor = divisor}, wire(recorder, {}));
  };
  run("a.h5", header, [&](Recorder& recorder) { train(recorder, WindowDivisor::present); });
  run("b.h5", header, [&](Recorder& recorder) { train(recorder, WindowDivisor::configured); });
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 2 · micro 0 · rank 0 · forward · loss · output 0");
  EXPECT_THAT(report.diagnosis, hint_says("ratio = present/configured = 1/2"));
  ASSERT_EQ(report.losses.points.size(), 3U);
  EXPECT_NEAR(*report.losses.points[0].a, 0.542576, 1e-6);
  EXPECT_NEAR(*report.losses.points[1].b, 0.516416, 1e-6);
  EXPECT_NEAR(*report.losses.points[2].b, 0.246680, 1e-6);
  EXPECT_EQ(report.losses.first_outside, 2);
}

// C06: dropout 0.5 in a block that is recomputed.

// Keeps the input of the block alone; the backward pass runs it again.
class Checkpoint : public torch::autograd::Function<Checkpoint> {
 public:
  using Block = std::function<at::Tensor(const at::Tensor&)>;
  static Block block;
  static bool restores_random_state;

  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    context->saved_data["state"] = at::globalContext().defaultGenerator(at::kCPU).get_state();
    return block(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    if (restores_random_state) {
      at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
      generator.set_state(context->saved_data["state"].toTensor());
    }
    const at::Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
    const at::AutoGradMode grad(true);
    torch::autograd::backward({block(x)}, {gradients[0]});
    return {x.grad()};
  }
};
Checkpoint::Block Checkpoint::block;
bool Checkpoint::restores_random_state = true;

enum class Recompute { none, restored, unrestored };

void drop(Recorder& recorder, Recompute recompute, double p) {
  at::manual_seed(1);
  const at::Tensor w = at::ones({8}).requires_grad_();
  recorder.watch("w", w);
  recorder.step(0);
  recorder.micro(0);
  Checkpoint::restores_random_state = recompute == Recompute::restored;
  Checkpoint::block = [p](const at::Tensor& h) { return layer("block", [&] { return at::dropout(h, p, true); }); };
  const at::Tensor h = layer("in", [&] { return at::mul(w, 1); });
  const at::Tensor y = recompute == Recompute::none ? Checkpoint::block(h) : Checkpoint::apply(h);
  const at::Tensor loss = layer("loss", [&] { return y.sum(); });
  recorder.loss(loss);
  backward(loss);
  recorder.update();
  Checkpoint::block = nullptr;
}

TEST_F(TrainingCases, C06RandomStateNotRestored) {
  run("b.h5", {{"model.variant", "plain-ckpt"}},
      [](Recorder& recorder) { drop(recorder, Recompute::unrestored, 0.5); });
  for (const Recompute golden : {Recompute::none, Recompute::restored}) {
    const Header header{{"model.variant", golden == Recompute::none ? "plain" : "plain-ckpt"}};
    run("a.h5", header, [&](Recorder& recorder) { drop(recorder, golden, 0.5); });
    const Report report = compared();
    EXPECT_EQ(exit_code(report), 1);
    EXPECT_EQ(first(report), "step 0 · micro 0 · rank 0 · recompute · block · output 0") << to_text(report);
    EXPECT_THAT(report.diagnosis, hint_says("recomputed output differs from the first output: RNG not restored"));
  }
  const Report report = alone("b.h5");
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 0 · micro 0 · rank 0 · recompute · block · output 0");
  EXPECT_EQ(exit_code(alone("a.h5")), 0);
}

TEST_F(TrainingCases, C06WithoutDropoutNothingDiffers) {
  run("a.h5", {{"model.variant", "plain"}}, [](Recorder& recorder) { drop(recorder, Recompute::none, 0); });
  run("b.h5", {{"model.variant", "plain-ckpt"}}, [](Recorder& recorder) { drop(recorder, Recompute::unrestored, 0); });
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_EQ(report.relation.name, "checkpointing");
}

// C08: the loss times 65536 before the backward pass; the optimizer divides.

void train_scaled(Recorder& recorder, double scale) {
  const at::Tensor w = at::sin(at::arange(12)).view({3, 4}).requires_grad_();
  const at::Tensor x = at::sin(at::arange(16).mul(0.9).add(0.5)).view({4, 4});
  recorder.watch("w", w);
  for (const std::int64_t step : {0, 1}) {
    recorder.step(step);
    recorder.micro(0);
    recorder.input("x", x);
    const at::Tensor y = layer("layers.2", [&] { return at::linear(x, w); });
    const at::Tensor loss = layer("loss", [&] { return at::mse_loss(y, at::ones({4, 3})).mul(scale); });
    recorder.loss(loss);
    w.mutable_grad() = at::Tensor();
    backward(loss);
    const at::NoGradGuard no_grad;
    w.mutable_grad().div_(scale);
    recorder.update();
    w.sub_(w.grad(), 0.1);
    recorder.step_loss(loss.detach().div(scale));
  }
}

TEST_F(TrainingCases, C08LossScale) {
  run("a.h5", {}, [](Recorder& recorder) { train_scaled(recorder, 1); });
  run("b.h5", {{"loss.scale", "65536"}}, [](Recorder& recorder) { train_scaled(recorder, 65536); });
  const Report report = compared();
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(first(report), "step 0 · micro 0 · rank 0 · forward · loss · output 0");
  EXPECT_THAT(report.diagnosis, hint_says("constant power-of-two factor 65536: loss scale"));
  DiffOptions unscale;
  unscale.also = {built_in_relation("unscale")};
  EXPECT_EQ(exit_code(compared(unscale)), 0) << to_text(compared(unscale));
}

// One batch of eight, in one piece and in several.

TEST_F(TrainingCases, AccumulatedRunsAreTheBatchInOnePiece) {
  MlpOptions whole = small_mlp();
  whole.batch_size = 8;
  whole.train_dataset_len = 16;
  const auto header_of = [](std::int64_t micros) {
    return Variation{.recorder = {.header = {{"model.gradient_accumulation_steps", std::to_string(micros)}}}};
  };
  record(path("a.h5"), whole, header_of(1));
  for (const std::int64_t micros : {2, 4, 8}) {
    MlpOptions parts = whole;
    parts.variant = MlpVariant::ga_loop;
    parts.gradient_accumulation_steps = micros;
    parts.batch_size = 8 / micros;
    record(path("b.h5"), parts, header_of(micros));
    const Report report = compared();
    EXPECT_EQ(exit_code(report), 0) << to_text(report);
    EXPECT_EQ(report.relation.name, "accumulation");
    EXPECT_EQ(exit_code(alone("b.h5")), 0);
  }
}

}  // namespace
}  // namespace goldentrace::cases
