#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>

#include "tests/replayer/replay_fixture.h"

namespace goldentrace {
namespace {

at::Tensor random_state() { return at::detail::getDefaultCPUGenerator().get_state(); }
void set_random_state(const at::Tensor& state) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_state(state);
}

TEST_F(Replay, PayloadFreeGoldensTapeRunsOnTheCandidatesInputs) {
  const at::Tensor state = random_state();
  const TraceReader golden(write_layer("golden.h5", {.payload = Payload::none}));
  set_random_state(state);
  layer_.eps = 0.1;
  const TraceReader candidate(write_layer("candidate.h5"));

  ReplayOptions options = of("h.0.mlp");
  options.tape_from = &golden;
  const ReplayReport report = replay(candidate, options);
  EXPECT_EQ(report.calls[0].reproduced, true);
  EXPECT_EQ(report.calls[0].tensors[0].verdict, ReplayVerdict::differs);
  EXPECT_TRUE(report.calls[0].tensors[0].judgement.measured);
  EXPECT_EQ(exit_code(report), 1);

  ReplayOptions other = of("h.0.mlp");
  other.inputs = &candidate;
  const ReplayReport same = replay(golden, other);
  EXPECT_EQ(same.calls[0].reproduced, true);
  EXPECT_EQ(exit_code(same), 1);
}

TEST_F(Replay, SaysThatAGoldenWasNotReproduced) {
  const at::Tensor state = random_state();
  const TraceReader golden(
      write_layer("golden.h5", {.payload = Payload::none, .alter = [](const RecordId& id, at::Tensor& value) {
                                  if (id.role == Role::output) value.mul_(1.5);
                                }}));
  set_random_state(state);
  const TraceReader candidate(write_layer("candidate.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.tape_from = &golden;
  const ReplayReport report = replay(candidate, options);
  EXPECT_EQ(report.calls[0].reproduced, false);
  EXPECT_EQ(exit_code(report), 0);
}

TEST_F(Replay, OtherInputsAreJudgedAgainstTheirOwnTrace) {
  const TraceReader first(write_layer("first.h5"));
  layer_.x = at::randn({8, 64}).requires_grad_().clone();
  const TraceReader second(write_layer("second.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.inputs = &second;
  const ReplayReport report = replay(first, options);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.calls[0].verdict, ReplayVerdict::bit_equal);
  EXPECT_FALSE(report.calls[0].reproduced.has_value());
  EXPECT_EQ(report.gate, "rel");
}

// Inputs with payload, outputs without: judged by hash and sketch.
TEST_F(Replay, SketchesJudgeWhatHasNoPayload) {
  for (const double scale : {1.0, 1.5}) {
    const auto only_inputs = [](const RecordId& id) { return id.role != Role::output && id.pass != Pass::backward; };
    const TraceReader trace(write_layer("run.h5", {.alter =
                                                       [&](const RecordId& id, at::Tensor& value) {
                                                         if (id.role == Role::output) value.mul_(scale);
                                                       },
                                                   .keep_payload = only_inputs}));
    ReplayOptions options = of("h.0.mlp");
    options.gate = Gate{.kind = GateKind::rel};
    const ReplayReport report = replay(trace, options);
    const ReplayedTensor& output = report.calls[0].tensors[0];
    EXPECT_EQ(output.verdict, scale == 1 ? ReplayVerdict::bit_equal : ReplayVerdict::differs);
    EXPECT_EQ(output.judgement.estimated, scale != 1);
    // Nothing is made up for the backward either: its totals have no payload.
    EXPECT_EQ(report.calls[0].verdict, ReplayVerdict::unsupported);
    EXPECT_THAT(report.calls[0].reason, testing::HasSubstr("grad_output 0 has no payload"));
  }
}

TEST_F(Replay, InFloat64) {
  const TraceReader trace(write_layer("run.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.dtype = DType::float64;
  const ReplayReport report = replay(trace, options);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.gate, "rel");
  for (const ReplayedTensor& tensor : report.calls[0].tensors) {
    EXPECT_EQ(tensor.replayed_dtype, DType::float64);
    EXPECT_EQ(tensor.verdict, ReplayVerdict::within) << to_string(tensor.id) << tensor.judgement.text;
    EXPECT_GT(tensor.judgement.comparison.rel_frobenius, 0);
  }
}

TEST_F(Replay, PerturbedInputs) {
  const TraceReader trace(write_layer("run.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.perturb = 1e-2;
  const ReplayReport first = replay(trace, options);
  EXPECT_EQ(exit_code(first), 1);
  const double error = first.calls[0].tensors[0].judgement.comparison.rel_frobenius;
  EXPECT_GT(error, 1e-4);
  EXPECT_LT(error, 1e-1);
  EXPECT_EQ(replay(trace, options).calls[0].tensors[0].judgement.comparison.rel_frobenius, error);
  options.gate = Gate{.kind = GateKind::rel, .rel = 0.5};
  EXPECT_EQ(exit_code(replay(trace, options)), 0);
}

TEST_F(Replay, DumpInFloat64) {
  const TraceReader trace(write_layer("run.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.dtype = DType::float64;
  options.dump = folder_ / "wide.h5";
  replay(trace, options);
  const TraceReader wide(options.dump);
  ASSERT_EQ(wide.records().size(), trace.records().size());
  for (std::size_t i = 0; i < wide.records().size(); ++i) {
    EXPECT_EQ(wide.records()[i].id, trace.records()[i].id);
    EXPECT_EQ(wide.records()[i].dtype, DType::float64);
    EXPECT_EQ(wide.records()[i].shape, trace.records()[i].shape);
    EXPECT_EQ(wide.records()[i].producers, trace.records()[i].producers);
  }
  EXPECT_EQ(wide.header().at("replay.dtype"), "float64");
}

TEST_F(Replay, DumpIsATraceThatReplaysAgain) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    add_call(writer, "other", layer_);
    for (const std::int64_t micro : {0, 1}) add_call(writer, "h.0.mlp", layer_, {.micro = micro});
  }));
  ReplayOptions options = of("h.0.mlp");
  options.dump = folder_ / "again.h5";
  replay(trace, options);
  const TraceReader again(options.dump);
  EXPECT_EQ(again.calls().size(), 2U);
  ASSERT_GT(again.records().size(), 0U);
  for (const Record& record : again.records()) {
    const auto row = trace.find(record.id);
    ASSERT_TRUE(row.has_value()) << to_string(record.id);
    EXPECT_EQ(record.fingerprint.hash, trace.records()[static_cast<std::size_t>(*row)].fingerprint.hash);
  }
  EXPECT_EQ(replay(again, of("h.0.mlp")).verdict, ReplayVerdict::bit_equal);
}

}  // namespace
}  // namespace goldentrace
