#include <gmock/gmock.h>

#include "tests/replayer/replay_fixture.h"

namespace goldentrace {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Replay, UnknownLayerNamesTheClosest) {
  const TraceReader trace(write_layer("run.h5"));
  EXPECT_THAT(failure(trace, of("h.0.mpl")), AllOf(HasSubstr("no layer 'h.0.mpl'"), HasSubstr("h.0.mlp")));
  EXPECT_THAT(failure(trace, of("(root)")), HasSubstr("outside labels"));
}

TEST_F(Replay, OutputsWithoutInputs) {
  const TraceReader trace(write("run.h5", [](TraceWriter& writer) {
    Record record;
    record.id.layer = "attention";
    record.shape = {2};
    const std::vector<std::byte> bytes(8);
    writer.add(record, bytes);
  }));
  EXPECT_THAT(failure(trace, of("attention")), HasSubstr("cannot replay: no inputs"));
}

TEST_F(Replay, CallWithoutTapeAndInputs) {
  const TraceReader trace(write("run.h5", [](TraceWriter& writer) {
    LayerCall call;
    call.layer = "attention";
    writer.add_call(call);
  }));
  EXPECT_THAT(failure(trace, of("attention")), HasSubstr("cannot replay: no inputs"));
}

TEST_F(Replay, TapeThatReadsWhatWasNotRecorded) {
  const auto shift = [](Tape& tape) {
    for (TapeValue& value : tape.values) value.position += 7;
  };
  const TraceReader trace(write_layer("half.h5", {.alter_tape = shift}));
  EXPECT_THAT(failure(trace, of("h.0.mlp")), HasSubstr("cannot replay: no inputs"));
}

TEST_F(Replay, WithoutPayloadSaysWhatToDo) {
  const TraceReader trace(write_layer("golden.h5", {.payload = Payload::none}));
  EXPECT_THAT(failure(trace, of("h.0.mlp")),
              AllOf(HasSubstr("no payload"), HasSubstr("--inputs"), HasSubstr("--tape-from")));
}

TEST_F(Replay, InputsOfAnotherShape) {
  const TraceReader trace(write_layer("run.h5"));
  layer_.x = layer_.x.slice(0, 0, 4);
  const TraceReader smaller(write_layer("smaller.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.inputs = &smaller;
  EXPECT_THAT(failure(trace, options), HasSubstr("shape [4, 64], the tape wants [8, 64]"));
}

TEST_F(Replay, UnavailableDevice) {
  const TraceReader trace(write_layer("run.h5"));
  ReplayOptions options = of("h.0.mlp");
  options.device = "xla:0";
  EXPECT_THAT(failure(trace, options), HasSubstr("not available"));
  options.device = "toaster";
  EXPECT_THAT(failure(trace, options), HasSubstr("toaster"));
}

TEST_F(Replay, DumpOverItsOwnTrace) {
  const auto path = write_layer("run.h5");
  ReplayOptions options = of("h.0.mlp");
  options.dump = path;
  EXPECT_THAT(failure(TraceReader(path), options), HasSubstr("give it another name"));
  EXPECT_EQ(TraceReader(path).records().size(), 8U);
}

TEST_F(Replay, NoDumpWhenNothingRan) {
  const TraceReader trace(write_layer("golden.h5", {.payload = Payload::none}));
  ReplayOptions options = of("h.0.mlp");
  options.dump = folder_ / "dump.h5";
  failure(trace, options);
  EXPECT_FALSE(std::filesystem::exists(options.dump));
}

TEST_F(Replay, NothingToCompare) {
  const TraceReader trace(write("run.h5", [&](TraceWriter& writer) {
    add_call(writer, "f", [&] {
      layer_();
      return std::vector<at::Tensor>();
    });
  }));
  EXPECT_THAT(failure(trace, of("f")), HasSubstr("nothing to compare"));
}

}  // namespace
}  // namespace goldentrace
