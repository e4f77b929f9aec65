// Steps, micro-batches, losses, updates, filters.
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/recorder/recording.h"

namespace goldentrace {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// A model of one layer, trained by SGD the way LibTorch's own does: through `.data`.
struct Trainer {
  at::Tensor w = parameter({1, 2, 3}, {3});
  at::Tensor x = at::tensor({1.f, 1.f, 2.f});

  at::Tensor forward() {
    return at::sum(layer("l", [&] { return at::mul(x, w); }));
  }
  at::Tensor micro() {
    const at::Tensor loss = forward();
    torch::autograd::backward({loss}, {});
    return loss;
  }
  void update() {
    const at::NoGradGuard no_grad;
    w.variable_data().add_(w.grad().variable_data(), -0.5);
    w.mutable_grad() = at::Tensor();
  }
};

class Steps : public RecorderTest {};

TEST_F(Steps, AreFoundInAnUnchangedProgram) {
  Trainer trainer;
  const Recorded trace = record([&] {
    for (int step = 0; step < 2; ++step) {
      trainer.micro();
      trainer.micro();
      trainer.update();
    }
    trainer.forward();
  });
  EXPECT_THAT(trace.ids(Role::loss),
              ElementsAre("0:0:0/forward/loss#0/loss.0", "0:1:0/forward/loss#0/loss.0", "0:-:0/update/loss#0/loss.0",
                          "1:0:0/forward/loss#0/loss.0", "1:1:0/forward/loss#0/loss.0", "1:-:0/update/loss#0/loss.0"));
  EXPECT_THAT(trace.values("0:0:0/forward/loss#0/loss.0"), ElementsAre(9));
  EXPECT_THAT(trace.values("0:-:0/update/loss#0/loss.0"), ElementsAre(18));
  EXPECT_EQ(trace.record("0:0:0/forward/loss#0/loss.0").shape, Shape{});
  EXPECT_THAT(trace.producers("0:0:0/forward/loss#0/loss.0"), ElementsAre("0:0:0/forward/l#0/output.0"));
  EXPECT_THAT(trace.producers("0:-:0/update/loss#0/loss.0"),
              ElementsAre("0:0:0/forward/loss#0/loss.0", "0:1:0/forward/loss#0/loss.0"));
  EXPECT_TRUE(trace.has("2:0:0/forward/l#0/output.0"));
  EXPECT_FALSE(trace.has("2:-:0/update/loss#0/loss.0"));
}

TEST_F(Steps, UpdatesRecordTotalGradientsAndNewValues) {
  Trainer trainer;
  const Recorded trace = record([&] {
    trainer.micro();
    trainer.micro();
    trainer.update();
    trainer.micro();
  });
  EXPECT_THAT(trace.values("0:1:0/backward/l#0/param_grad.0"), ElementsAre(1, 1, 2));
  EXPECT_THAT(trace.values("0:-:0/update/l#0/param_grad.0"), ElementsAre(2, 2, 4));
  EXPECT_THAT(trace.values("0:-:0/update/l#0/param.0"), ElementsAre(0, 1, 1));
  EXPECT_THAT(trace.values("1:0:0/forward/l#0/param.0"), ElementsAre(0, 1, 1));
  EXPECT_THAT(trace.producers("0:-:0/update/l#0/param_grad.0"),
              ElementsAre("0:0:0/backward/l#0/param_grad.0", "0:1:0/backward/l#0/param_grad.0"));
  EXPECT_THAT(trace.producers("0:-:0/update/l#0/param.0"),
              ElementsAre("0:1:0/forward/l#0/param.0", "0:-:0/update/l#0/param_grad.0"));
  EXPECT_THAT(trace.producers("1:0:0/forward/l#0/param.0"), ElementsAre("0:-:0/update/l#0/param.0"));
  EXPECT_THAT(trace.ops("(root)", Pass::update), Contains("aten::add_"));
}

TEST_F(Steps, AreSaidThroughTheInterface) {
  Trainer trainer;
  const Recorded trace = record([&](Recorder& recorder) {
    recorder.watch("l.w", trainer.w);
    for (int step = 4; step < 6; ++step) {
      recorder.step(step);
      for (int micro = 0; micro < 2; ++micro) {
        recorder.micro(micro);
        recorder.input("x", trainer.x);
        recorder.loss(trainer.micro());
      }
      recorder.update();
      trainer.update();
      recorder.step_loss(at::scalar_tensor(7.f));
    }
    recorder.step(6);
    trainer.forward();
  });
  EXPECT_THAT(trace.ids(Role::param), Contains("4:1:0/forward/l#0/param.w"));
  EXPECT_TRUE(trace.has("4:-:0/update/l#0/param_grad.w"));
  EXPECT_THAT(trace.values("5:-:0/update/loss#0/loss.0"), ElementsAre(7));
  EXPECT_TRUE(trace.has("6:0:0/forward/l#0/output.0"));
  EXPECT_FALSE(trace.has("0:0:0/forward/l#0/output.0"));
  const Record& declared = trace.record("4:0:0/forward/(root)#0/input.x");
  EXPECT_TRUE(declared.declared && declared.external);
  EXPECT_THAT(trace.producers("4:0:0/forward/l#0/input.0"), ElementsAre("4:0:0/forward/(root)#0/input.x"));
  EXPECT_THAT(trace.reader().header(), Contains(testing::Key("input.x")));
}

TEST_F(Steps, AreSaidByReservedLabels) {
  Trainer trainer;
  const Recorded trace = record([&] {
    layer("step 3", [&] {
      layer("micro 0", [&] { trainer.micro(); });
      layer("micro 1", [&] { trainer.micro(); });
      trainer.update();
    });
  });
  EXPECT_TRUE(trace.has("3:1:0/forward/l#0/output.0"));
  EXPECT_TRUE(trace.has("3:-:0/update/l#0/param.0"));
  EXPECT_FALSE(trace.has("0:0:0/forward/l#0/output.0"));
  EXPECT_THAT(trace.ops("(root)"), Not(Contains("aten::add_")));
}

TEST_F(Steps, UnrecordedOnesLeaveNothingAndAreCounted) {
  RecorderOptions wanted = options();
  wanted.steps = {2};
  Trainer trainer;
  const Recorded trace = record(wanted, [&](Recorder&) {
    for (int step = 0; step < 4; ++step) {
      trainer.micro();
      trainer.update();
    }
  });
  for (const Record& each : trace.records()) EXPECT_EQ(each.id.step, 2) << to_string(each.id);
  EXPECT_THAT(trace.values("2:0:0/forward/l#0/param.0"), ElementsAre(0, 1, 1));
  EXPECT_EQ(trace.reader().header().at("capture.steps"), "2");
}

// Not even whether parameters are written: the program says its steps.
TEST_F(Steps, NobodyLooksAtSaidOnesThatAreNotRecorded) {
  RecorderOptions wanted = options();
  wanted.steps = {0, 2};
  Trainer trainer;
  std::vector<bool> seen;
  const Recorded trace = record(wanted, [&](Recorder& recorder) {
    const at::Tensor state = at::ones({3});
    for (int step = 0; step < 3; ++step) {
      recorder.step(step);
      seen.push_back(at::RecordFunction(at::RecordScope::FUNCTION).isActive());
      trainer.micro();
      trainer.update();
      state.add_(layer("state", [&] { return at::mul(state, 2); }));
    }
  });
  EXPECT_THAT(seen, ElementsAre(true, false, true));
  for (const Record& each : trace.records()) EXPECT_NE(each.id.step, 1) << to_string(each.id);
  EXPECT_THAT(trace.values("2:0:0/forward/l#0/param.0"), ElementsAre(0, 1, 1));
  EXPECT_THAT(trace.producers("2:0:0/forward/l#0/param.0"), IsEmpty());
  EXPECT_THAT(trace.values("2:-:0/update/l#0/param.0"), ElementsAre(-0.5, 0.5, 0));
  EXPECT_THAT(trace.values("2:0:0/forward/state#0/input.0"), ElementsAre(9, 9, 9));
  EXPECT_THAT(trace.producers("2:0:0/forward/state#0/input.0"), IsEmpty());
}

TEST_F(Steps, LayersAndRolesAreFiltered) {
  RecorderOptions wanted = options();
  wanted.layers = {"*.b"};
  wanted.roles = {"output", "loss"};
  const at::Tensor x = wave({3}, 0.3), w = wave_parameter({3}, 0.37);
  const Recorded trace = record(wanted, [&](Recorder&) {
    const at::Tensor h = layer("block", [&] {
      const at::Tensor a = layer("block.a", [&] { return at::mul(x, w); });
      return layer("block.b", [&] { return at::mul(a, 2); });
    });
    torch::autograd::backward({at::sum(h)}, {});
  });
  for (const Record& each : trace.records()) EXPECT_TRUE(each.id.layer == "block.b" || each.id.layer == "loss");
  const std::string b = "0:0:0/forward/block.b#0/";
  EXPECT_FALSE(trace.record(b + "input.0").external);
  EXPECT_FALSE(trace.reader().has_payload(trace.row(b + "input.0")));
  EXPECT_TRUE(trace.reader().has_payload(trace.row(b + "output.0")));
  EXPECT_TRUE(trace.has("0:0:0/backward/block.b#0/grad_input.0"));
  expect_replayable(trace);
}

TEST_F(Steps, SketchesHaveNoPayload) {
  RecorderOptions wanted = options();
  wanted.capture = Capture::sketch;
  Trainer trainer;
  const Recorded trace = record(wanted, [&](Recorder&) {
    trainer.micro();
    trainer.update();
  });
  for (std::size_t row = 0; row < trace.records().size(); ++row) {
    EXPECT_FALSE(trace.reader().has_payload(static_cast<std::int64_t>(row)));
  }
  EXPECT_THAT(trace.reader().sketch(trace.row("0:0:0/forward/loss#0/loss.0")), ElementsAre(9));
  expect_replayable(trace);
}

TEST_F(Steps, BuffersWrittenByALayerAreItsOutputs) {
  const at::Tensor x = wave({4, 3}, 0.3);
  at::Tensor mean = at::zeros({3}), variance = at::ones({3});
  const Recorded trace = record([&](Recorder& recorder) {
    recorder.watch_buffer("bn.running_mean", mean);
    recorder.watch_buffer("bn.running_var", variance);
    for (int i = 0; i < 2; ++i) {
      layer("bn", [&] { return at::batch_norm(x, {}, {}, mean, variance, true, 0.1, 1e-5, false); });
    }
  });
  const std::string f = "0:0:0/forward/bn";
  EXPECT_THAT(trace.values(f + "#0/buffer.running_mean"), ElementsAre(0, 0, 0));
  EXPECT_EQ(trace.record(f + "#0/output.0").shape, (Shape{4, 3}));
  EXPECT_EQ(trace.record(f + "#0/output.1").shape, (Shape{3}));
  EXPECT_THAT(trace.producers(f + "#1/buffer.running_mean"), ElementsAre(f + "#0/output.1"));
  expect_replayable(trace);
}

TEST_F(Steps, ALabelAroundWholeStepsIsNoLayer) {
  Trainer trainer;
  const Recorded trace = record([&] {
    layer("epoch", [&] {
      for (int step = 0; step < 3; ++step) {
        trainer.micro();
        trainer.update();
      }
    });
  });
  EXPECT_TRUE(trace.has("2:0:0/backward/l#0/param_grad.0"));
  EXPECT_TRUE(trace.has("2:-:0/update/l#0/param.0"));
  EXPECT_EQ(trace.call("epoch").replayable, Replayable::unsupported);
  EXPECT_THAT(trace.call("epoch").note, testing::HasSubstr("a backward ran inside"));
  const auto& calls = trace.reader().calls();
  const auto checked = [](const LayerCall& call) {
    return call.layer == "l" && call.replayable == Replayable::bit_equal;
  };
  EXPECT_TRUE(std::any_of(calls.begin(), calls.end(), checked));
  EXPECT_THAT(trace.ops("l"), ElementsAre("aten::mul"));
}

TEST_F(Steps, UpdatesAreNamedByTheInnermostLayer) {
  Trainer trainer;
  const Recorded trace = record([&] {
    const at::Tensor y =
        layer("block", [&] { return layer("block.l", [&] { return at::mul(trainer.x, trainer.w); }); });
    torch::autograd::backward({at::sum(y)}, {});
    trainer.update();
  });
  EXPECT_TRUE(trace.has("0:-:0/update/block.l#0/param_grad.0"));
  EXPECT_TRUE(trace.has("0:-:0/update/block.l#0/param.0"));
  EXPECT_FALSE(trace.has("0:-:0/update/block#0/param.0"));
}

TEST_F(Steps, UpdatesOfSeveralParametersAtOnceAreSeen) {
  Trainer trainer;
  const Recorded trace = record([&] {
    trainer.micro();
    {
      const at::NoGradGuard no_grad;
      at::_foreach_add_(std::vector<at::Tensor>{trainer.w}, std::vector<at::Tensor>{trainer.w.grad()}, -0.5);
    }
    trainer.forward();
  });
  EXPECT_THAT(trace.values("0:-:0/update/l#0/param.0"), ElementsAre(0.5, 1.5, 2));
  EXPECT_TRUE(trace.has("1:0:0/forward/l#0/output.0"));
}

TEST_F(Steps, ParametersUsedOutsideEveryLabelAreUpdatedInTheRoot) {
  Trainer trainer;
  const Recorded trace = record([&] {
    const at::Tensor h = at::mul(trainer.x, trainer.w);
    torch::autograd::backward({at::sum(layer("l", [&] { return at::mul(h, 2); }))}, {});
    trainer.update();
  });
  EXPECT_THAT(trace.values("0:-:0/update/(root)#0/param_grad.0"), ElementsAre(2, 2, 4));
  EXPECT_THAT(trace.values("0:-:0/update/(root)#0/param.0"), ElementsAre(0, 1, 1));
}

TEST_F(Steps, GradientsReadByALayerAreNoModelInputs) {
  Trainer trainer;
  const Recorded trace = record([&] {
    const at::Tensor loss = trainer.forward();
    const auto gradients = torch::autograd::grad({at::mul(loss, loss)}, {trainer.w}, {}, true, true);
    layer("penalty", [&] { return at::sum(at::mul(gradients[0], gradients[0])); });
  });
  EXPECT_FALSE(trace.record("0:1:0/forward/penalty#0/input.0").external);
}

TEST_F(Steps, InferenceModeIsRecorded) {
  Trainer trainer;
  const Recorded trace = record([&] {
    const c10::InferenceMode inference;
    const at::Tensor h = layer("l", [&] { return at::mul(trainer.x, trainer.w); });
    layer("relu", [&] { return at::relu(h); });
  });
  EXPECT_TRUE(trace.tape("relu").ops[0].inference_mode);
  EXPECT_THAT(trace.values("0:0:0/forward/relu#0/output.0"), ElementsAre(1, 2, 6));
  expect_replayable(trace);
}

TEST_F(Steps, TheirSizeIsTold) {
  RecorderOptions wanted = options();
  std::vector<std::pair<std::int64_t, std::uint64_t>> told;
  wanted.step_written = [&](std::int64_t step, std::uint64_t bytes) { told.emplace_back(step, bytes); };
  Trainer trainer;
  record(wanted, [&](Recorder&) {
    for (int step = 0; step < 2; ++step) {
      trainer.micro();
      trainer.update();
    }
  });
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1].first, 1);
}

TEST_F(Steps, HeaderTellsTheFacts) {
  RecorderOptions wanted = options();
  wanted.header["model.name"] = "test";
  const Recorded trace = record(wanted, [](Recorder& recorder) { recorder.header()["run.seed"] = "42"; });
  const Header& header = trace.reader().header();
  EXPECT_EQ(header.at("model.name"), "test");
  EXPECT_EQ(header.at("run.seed"), "42");
  EXPECT_EQ(header.at("capture.level"), "full");
  EXPECT_THAT(header.at("cpu.features"), Not(IsEmpty()));
  EXPECT_EQ(header.at("torch.deterministic"), "false");
}

}  // namespace
}  // namespace goldentrace
