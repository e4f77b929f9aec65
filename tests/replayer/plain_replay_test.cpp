#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>

#include "tape/environment.h"
#include "tape/flags.h"
#include "tests/replayer/replay_fixture.h"

namespace goldentrace {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

TEST_F(Replay, IsBitEqualForwardAndBackward) {
  const TraceReader trace(write_layer("run.h5"));
  at::rand({3});
  const ReplayReport report = replay(trace, of("h.0.mlp"));
  ASSERT_EQ(report.calls.size(), 1U);
  EXPECT_EQ(report.calls[0].tensors.size(), 4U);  // output, grad_input, two param_grads
  for (const ReplayedTensor& tensor : report.calls[0].tensors) {
    EXPECT_EQ(tensor.verdict, ReplayVerdict::bit_equal) << to_string(tensor.id) << " " << tensor.judgement.text;
  }
  EXPECT_EQ(report.verdict, ReplayVerdict::bit_equal);
  EXPECT_EQ(report.gate, "bitwise");
  EXPECT_EQ(exit_code(report), 0);
}

TEST_F(Replay, SaysWhichElementDiffers) {
  const TraceReader trace(write_layer("run.h5", {.alter = [](const RecordId& id, at::Tensor& value) {
                                        if (id.role == Role::output) value[2][3] = 123.5;
                                      }}));
  const ReplayReport report = replay(trace, of("h.0.mlp"));
  EXPECT_EQ(exit_code(report), 1);
  const ReplayedTensor& output = report.calls[0].tensors[0];
  EXPECT_EQ(output.verdict, ReplayVerdict::differs);
  EXPECT_EQ(output.id.role, Role::output);
  EXPECT_EQ(output.judgement.place, 2 * 64 + 3);
  EXPECT_EQ(output.judgement.a, 123.5);
}

TEST_F(Replay, FindsAWrongGradient) {
  for (const Role role : {Role::grad_input, Role::param_grad}) {
    const TraceReader trace(write_layer("run.h5", {.alter = [&](const RecordId& id, at::Tensor& value) {
                                          if (id.role == role && id.index == "0") value.mul_(1.5);
                                        }}));
    const ReplayReport report = replay(trace, of("h.0.mlp"));
    EXPECT_EQ(exit_code(report), 1);
    std::vector<Role> wrong;
    for (const ReplayedTensor& tensor : report.calls[0].tensors) {
      if (tensor.verdict == ReplayVerdict::differs) wrong.push_back(tensor.id.role);
    }
    EXPECT_EQ(wrong, std::vector{role});
  }
}

TEST_F(Replay, OnePassOnly) {
  const TraceReader trace(write_layer("run.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.pass = Pass::forward;
  EXPECT_EQ(replay(trace, options).calls[0].tensors.size(), 1U);
  options.pass = Pass::backward;
  EXPECT_EQ(replay(trace, options).calls[0].tensors.size(), 3U);
  options.pass = Pass::recompute;
  EXPECT_THAT(failure(trace, options), HasSubstr("no call of layer h.0.mlp is of pass recompute"));
}

TEST_F(Replay, SelectsStepsMicrosAndCalls) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    for (const std::int64_t step : {0, 1}) {
      for (const std::int32_t call : {0, 1, 2}) add_call(writer, "f", layer_, {.step = step, .call = call});
    }
  }));
  EXPECT_EQ(replay(trace, of("f")).calls.size(), 6U);
  ReplayOptions options = of("f");
  options.step = 1;
  EXPECT_EQ(replay(trace, options).calls.size(), 3U);
  options.call = 2;
  const ReplayReport report = replay(trace, options);
  ASSERT_EQ(report.calls.size(), 1U);
  EXPECT_EQ(report.calls[0].step, 1);
  EXPECT_EQ(report.calls[0].call, 2);
  EXPECT_EQ(report.verdict, ReplayVerdict::bit_equal);
  options.step = 7;
  EXPECT_THAT(failure(trace, options),
              HasSubstr("no call of layer f is of step 7, call 2; there are the steps 0 to 1"));
}

TEST_F(Replay, AllLayers) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    add_call(writer, "a", layer_);
    add_call(writer, "b", layer_, {.alter_tape = [](Tape& tape) { tape.ops[0].name = "mylib::flash"; }});
    add_call(writer, "c", layer_);
    LayerCall root;
    root.layer = std::string(root_layer);
    writer.add_call(root);
    root.pass = Pass::update;
    writer.add_call(root);
  }));
  ReplayOptions options;
  std::size_t last = 0;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 3U);
    last = done;
  };
  const ReplayReport report = replay(trace, options);
  EXPECT_EQ(last, 3U);
  ASSERT_EQ(report.calls.size(), 3U);
  EXPECT_EQ(report.calls[0].verdict, ReplayVerdict::bit_equal);
  EXPECT_EQ(report.calls[1].verdict, ReplayVerdict::unsupported);
  EXPECT_THAT(report.calls[1].reason, HasSubstr("op 0 mylib::flash"));
  EXPECT_EQ(report.calls[2].verdict, ReplayVerdict::bit_equal);
  ASSERT_EQ(report.not_replayed.size(), 2U);
  EXPECT_EQ(report.not_replayed[1].pass, Pass::update);
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_THAT(failure(trace, of("b")), HasSubstr("op 0 mylib::flash"));
}

TEST_F(Replay, CheckpointedLayers) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    {
      const c10::AutoGradMode no_grad(false);
      add_call(writer, "f", layer_, {.backward = false});
    }
    add_call(writer, "f", layer_, {.pass = Pass::recompute});
  }));
  const ReplayReport report = replay(trace, of("f"));
  ASSERT_EQ(report.calls.size(), 2U);
  EXPECT_EQ(report.calls[0].tensors.size(), 1U);
  EXPECT_EQ(report.calls[1].tensors.size(), 4U);
  EXPECT_EQ(report.verdict, ReplayVerdict::bit_equal);
}

TEST_F(Replay, RunsWithTheRecordedThreadCount) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    writer.header()["run.threads"] = "3";
    const ThreadCount three(3);
    add_call(writer, "f", layer_);
  }));
  const int before = thread_count();
  const ReplayReport report = replay(trace, of("f"));
  EXPECT_EQ(report.threads, 3);
  EXPECT_EQ(thread_count(), before);
  EXPECT_EQ(report.verdict, ReplayVerdict::bit_equal);
}

TEST_F(Replay, RunsWithTheRecordedSwitches) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    writer.header()["torch.deterministic"] = "true";
    writer.header()["torch.float32_matmul_precision"] = "high";
    writer.header()["torch.mkldnn"] = "perhaps";
    add_call(writer, "f", layer_);
  }));
  const Header before = torch_flags();
  Header during;
  ReplayOptions options = of("f");
  options.progress = [&](std::size_t, std::size_t) { during = torch_flags(); };
  replay(trace, options);
  EXPECT_EQ(during.at("torch.deterministic"), "true");
  EXPECT_EQ(during.at("torch.float32_matmul_precision"), "high");
  EXPECT_EQ(during.at("torch.mkldnn"), before.at("torch.mkldnn"));
  EXPECT_EQ(torch_flags(), before);
}

TEST_F(Replay, OtherHardwareIsJudgedByRel) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    writer.header()["cpu.features"] = "other";
    writer.header()["torch.version"] = torch_version();
    add_call(writer, "f", layer_);
  }));
  const ReplayReport report = replay(trace, of("f"));
  EXPECT_EQ(report.gate, "rel");
  EXPECT_THAT(report.notes, Contains(HasSubstr("recorded with cpu.features other")));
  EXPECT_EQ(report.notes.size(), 1U);
}

}  // namespace
}  // namespace goldentrace
