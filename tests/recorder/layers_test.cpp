// What crosses the border of a layer, and when it is captured.
#include "tests/recorder/recording.h"

namespace goldentrace {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class Layers : public RecorderTest {};

const std::string f = "0:0:0/forward/";

TEST_F(Layers, OutputOfOneIsInputOfTheNext) {
  const at::Tensor x = at::tensor({1.f, -2.f, 3.f});
  const Recorded trace = record([&] {
    const at::Tensor y = layer("double", [&] { return at::mul(x, 2); });
    layer("relu", [&] { return at::relu(y); });
  });
  EXPECT_THAT(trace.ids(), ElementsAre(f + "double#0/input.0", f + "double#0/output.0", f + "relu#0/input.0",
                                       f + "relu#0/output.0"));
  EXPECT_THAT(trace.values(f + "double#0/output.0"), ElementsAre(2, -4, 6));
  EXPECT_THAT(trace.values(f + "relu#0/output.0"), ElementsAre(2, 0, 6));
  EXPECT_TRUE(trace.record(f + "double#0/input.0").external);
  EXPECT_FALSE(trace.record(f + "relu#0/input.0").external);
  EXPECT_THAT(trace.producers(f + "double#0/input.0"), IsEmpty());
  EXPECT_THAT(trace.producers(f + "double#0/output.0"), ElementsAre(f + "double#0/input.0"));
  EXPECT_THAT(trace.producers(f + "relu#0/input.0"), ElementsAre(f + "double#0/output.0"));
  expect_replayable(trace);
}

// Case D01: an in-place op of the next layer does not reach the record of the previous one.
TEST_F(Layers, InPlaceWritesComeAfterTheCapture) {
  const at::Tensor x = at::tensor({1.f, -2.f, 3.f});
  const Recorded trace = record([&] {
    at::Tensor y = layer("linear", [&] { return at::mul(x, 1); });
    layer("relu", [&] { return at::relu_(y); });
  });
  EXPECT_THAT(trace.values(f + "linear#0/output.0"), ElementsAre(1, -2, 3));
  EXPECT_THAT(trace.values(f + "relu#0/input.0"), ElementsAre(1, -2, 3));
  EXPECT_THAT(trace.values(f + "relu#0/output.0"), ElementsAre(1, 0, 3));
  expect_replayable(trace);
}

// Case D03.
TEST_F(Layers, EachEntryIsACallOfItsOwn) {
  const Recorded trace = record([&] {
    at::Tensor x = at::ones({2});
    for (int i = 0; i < 3; ++i) x = layer("double", [&] { return at::mul(x, 2); });
  });
  EXPECT_THAT(trace.values(f + "double#0/output.0"), ElementsAre(2, 2));
  EXPECT_THAT(trace.values(f + "double#1/output.0"), ElementsAre(4, 4));
  EXPECT_THAT(trace.values(f + "double#2/output.0"), ElementsAre(8, 8));
  EXPECT_THAT(trace.producers(f + "double#2/input.0"), ElementsAre(f + "double#1/output.0"));
}

TEST_F(Layers, ATensorIsARecordOfEveryLabelThatItCrosses) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record([&] {
    const at::Tensor y = layer("block", [&] {
      const at::Tensor inner = layer("block.a", [&] { return at::add(x, 1); });
      return layer("block.b", [&] { return at::mul(inner, 3); });
    });
    layer("head", [&] { return at::neg(y); });
  });
  EXPECT_THAT(trace.producers(f + "block.a#0/input.0"), ElementsAre(f + "block#0/input.0"));
  EXPECT_THAT(trace.producers(f + "block.b#0/input.0"), ElementsAre(f + "block.a#0/output.0"));
  EXPECT_THAT(trace.producers(f + "block#0/output.0"), ElementsAre(f + "block.b#0/output.0"));
  EXPECT_THAT(trace.producers(f + "head#0/input.0"), ElementsAre(f + "block#0/output.0"));
  EXPECT_THAT(trace.ops("block"), ElementsAre("aten::add", "aten::mul"));
  EXPECT_EQ(trace.tape("block").ops[0].label, "block.a");
  EXPECT_THAT(trace.ops("block.b"), ElementsAre("aten::mul"));
  EXPECT_EQ(trace.reader().calls()[static_cast<std::size_t>(trace.call("block.a").parent)].layer, "block");
  EXPECT_EQ(trace.call("block.a").replayable, Replayable::bit_equal) << trace.call("block.a").note;
  expect_replayable(trace);
}

TEST_F(Layers, GlueIsRecordedWhereItEntersALayer) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record([&] {
    const at::Tensor y = layer("a", [&] { return at::add(x, 1); });
    const at::Tensor sum = at::add(y, x);
    layer("b", [&] { return at::neg(sum); });
  });
  EXPECT_THAT(trace.values(f + "b#0/input.0"), ElementsAre(3, 5));
  EXPECT_FALSE(trace.record(f + "b#0/input.0").external);
  EXPECT_THAT(trace.producers(f + "b#0/input.0"), ElementsAre(f + "a#0/output.0"));
  EXPECT_THAT(trace.ids(Role::output), ElementsAre(f + "a#0/output.0", f + "b#0/output.0"));
  EXPECT_THAT(trace.ops("(root)"), ElementsAre("aten::add"));
}

TEST_F(Layers, SeveralOutputsKeepTheirOrder) {
  const at::Tensor x = at::tensor({4.f, 1.f, 3.f});
  const Recorded trace = record([&] {
    const auto [values, indices] = layer("sort", [&] { return at::sort(x); });
    const at::Tensor first = layer("use", [&] { return at::neg(values); });
    const at::Tensor second = layer("use2", [&] { return at::add(indices, 1); });
  });
  EXPECT_THAT(trace.values(f + "sort#0/output.0"), ElementsAre(1, 3, 4));
  EXPECT_EQ(trace.record(f + "sort#0/output.1").dtype, DType::int64);
  expect_replayable(trace);
}

TEST_F(Layers, TensorsReadInsideOnlyAreNoOutputs) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  at::Tensor kept;
  const Recorded trace = record([&] {
    layer("a", [&] {
      kept = at::exp(x);
      return at::neg(kept);
    });
  });
  EXPECT_THAT(trace.ids(Role::output), ElementsAre(f + "a#0/output.0"));
  EXPECT_THAT(trace.tape("a").outputs.size(), 1u);
}

// Case D10.
TEST_F(Layers, ViewsAreRecordedByTheirElements) {
  const at::Tensor base = at::arange(12, at::kFloat).view({3, 4});
  const at::Tensor row = at::arange(4, at::kFloat).view({1, 4});
  const Recorded trace = record([&] {
    layer("slice", [&] { return at::add(base.slice(1, 1, 3), 0); });
    layer("transpose", [&] { return base.t(); });
    layer("expand", [&] { return row.expand({3, 4}); });
    layer("empty", [&] { return at::add(base.slice(0, 1, 1), 1); });
    layer("scalar", [&] { return at::sum(base); });
  });
  EXPECT_THAT(trace.values(f + "slice#0/output.0"), ElementsAre(1, 2, 5, 6, 9, 10));
  EXPECT_THAT(trace.values(f + "transpose#0/output.0"), ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
  EXPECT_THAT(trace.values(f + "expand#0/output.0"), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_EQ(trace.record(f + "transpose#0/output.0").shape, (Shape{4, 3}));
  EXPECT_EQ(trace.record(f + "empty#0/output.0").shape, (Shape{0, 4}));
  EXPECT_THAT(trace.values(f + "scalar#0/output.0"), ElementsAre(66));
  EXPECT_EQ(trace.record(f + "scalar#0/output.0").shape, Shape{});
  expect_replayable(trace);
}

TEST_F(Layers, InputsThatAreViewsOfOneStorageKeepTheirStrides) {
  const at::Tensor base = at::arange(12, at::kFloat).view({3, 4});
  const at::Tensor left = base.slice(1, 0, 2), turned = base.t();
  const Recorded trace = record([&] { layer("a", [&] { return at::matmul(turned, left); }); });
  const Tape tape = trace.tape("a");
  EXPECT_EQ(tape.values[0].strides, (Shape{1, 4}));
  EXPECT_EQ(tape.values[1].strides, (Shape{4, 1}));
  EXPECT_EQ(tape.values[0].storage, tape.values[1].storage);
  expect_replayable(trace);
}

// Case D15.
TEST_F(Layers, BitsOfSpecialValuesAreKept) {
  const std::vector<std::uint32_t> bits{0x7fc00001, 0x7f800001, 0xffc12345, 0x80000000, 1, 0x7f800000, 0xff800000};
  at::Tensor x = at::zeros({7});
  std::memcpy(x.data_ptr(), bits.data(), 28);
  const Recorded trace = record([&] { layer("a", [&] { return x.view({7, 1}); }); });
  const auto payload = trace.reader().payload(trace.row(f + "a#0/output.0"));
  EXPECT_EQ(std::memcmp(payload.data(), bits.data(), 28), 0);
  EXPECT_EQ(trace.record(f + "a#0/output.0").fingerprint.hash, trace.record(f + "a#0/input.0").fingerprint.hash);
  expect_replayable(trace);
}

TEST_F(Layers, AnOpThatReturnsItsInputMakesItAnOutput) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record([&] {
    const at::Tensor y = layer("a", [&] { return at::add(x, 1); });
    const at::Tensor same = layer("dropout", [&] { return at::dropout(y, 0.5, false); });
    layer("b", [&] { return at::neg(same); });
  });
  EXPECT_THAT(trace.values(f + "dropout#0/output.0"), ElementsAre(2, 3));
  EXPECT_THAT(trace.producers(f + "b#0/input.0"), ElementsAre(f + "dropout#0/output.0"));
  EXPECT_THAT(trace.producers(f + "dropout#0/output.0"), ElementsAre(f + "dropout#0/input.0"));
  expect_replayable(trace);
}

TEST_F(Layers, OutVariantsAndInPlaceWritesThroughViews) {
  const at::Tensor x = at::tensor({1.f, 2.f, 3.f, 4.f});
  const Recorded trace = record([&] {
    at::Tensor buffer = at::empty({4});
    layer("out", [&] { at::mul_out(buffer, x, at::scalar_tensor(2.f)); });
    const at::Tensor y = layer("patch", [&] {
      at::Tensor copy = at::clone(buffer);
      copy.slice(0, 0, 2).add_(10);
      return copy;
    });
    layer("b", [&] { return at::neg(y); });
  });
  EXPECT_THAT(trace.ids(Role::input), Not(testing::Contains(f + "out#0/input.1")));
  EXPECT_THAT(trace.values(f + "out#0/output.0"), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(trace.values(f + "patch#0/output.0"), ElementsAre(12, 14, 6, 8));
  EXPECT_THAT(trace.producers(f + "patch#0/output.0"), ElementsAre(f + "patch#0/input.0"));
  expect_replayable(trace);
}

TEST_F(Layers, MemoryFilledUnseenIsCapturedAtFirstUse) {
  const Recorded trace = record([&] {
    layer("a", [&] {
      at::Tensor t = at::empty({3});
      for (int i = 0; i < 3; ++i) t.data_ptr<float>()[i] = static_cast<float>(i);
      return at::add(t, 1);
    });
  });
  EXPECT_THAT(trace.values(f + "a#0/input.0"), ElementsAre(0, 1, 2));
  EXPECT_THAT(trace.ops("a"), ElementsAre("aten::add"));
  expect_replayable(trace);
}

TEST_F(Layers, MemoryFilledPieceByPieceIsMadeOnTheTape) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record([&] {
    layer("stack", [&] {
      at::Tensor all = at::empty({2, 2});
      all.select(0, 0).copy_(x);
      all.select(0, 1).copy_(at::neg(x));
      return all;
    });
  });
  EXPECT_THAT(trace.ids(Role::input), ElementsAre(f + "stack#0/input.0"));
  EXPECT_THAT(trace.values(f + "stack#0/output.0"), ElementsAre(1, 2, -1, -2));
  expect_replayable(trace);
}

TEST_F(Layers, AliasesMadeWithoutAnOp) {
  const at::Tensor x = at::tensor({1.f, 2.f, 3.f, 4.f});
  const Recorded trace = record([&] {
    const at::Tensor y = layer("a", [&] {
      const at::Tensor made = at::add(x, 1);
      return at::mul(made.variable_data(), 2);
    });
    layer("b", [&] { return at::neg(y.variable_data()); });
  });
  EXPECT_THAT(trace.values(f + "a#0/output.0"), ElementsAre(4, 6, 8, 10));
  EXPECT_THAT(trace.producers(f + "b#0/input.0"), ElementsAre(f + "a#0/output.0"));
  EXPECT_EQ(trace.tape("a").values[2].source, ValueSource::alias);
  expect_replayable(trace);
}

TEST_F(Layers, AddressesThatAreUsedAgainAreOtherTensors) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record([&] {
    for (int i = 0; i < 50; ++i) {
      at::Tensor y = layer("a", [&] { return at::add(x, i); });
      layer("b", [&] { return at::mul(y, 2); });
    }
  });
  for (int i = 0; i < 50; ++i) {
    const std::string call = '#' + std::to_string(i);
    const auto value = static_cast<float>(i);
    EXPECT_THAT(trace.values(f + "b" + call + "/output.0"), ElementsAre(2 * (1 + value), 2 * (2 + value)));
    EXPECT_THAT(trace.producers(f + "b" + call + "/input.0"), ElementsAre(f + "a" + call + "/output.0"));
  }
}

TEST_F(Layers, NumbersAreArgumentsAndDecisionsAreResults) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record([&] {
    layer("a", [&] {
      const double largest = at::max(x).item<float>();
      at::Tensor number = at::scalar_tensor(largest, at::kDouble);
      number.unsafeGetTensorImpl()->set_wrapped_number(true);
      return at::mul(x, number);
    });
  });
  EXPECT_THAT(trace.ops("a"), ElementsAre("aten::max", "aten::item", "aten::scalar_tensor", "aten::mul"));
  const Tape tape = trace.tape("a");
  EXPECT_EQ(tape.ops[1].results[0].kind, ArgumentKind::real);
  EXPECT_EQ(tape.ops[3].arguments[1].kind, ArgumentKind::number);
  expect_replayable(trace);
}

TEST_F(Layers, UnlabelledAndFrameworkLabelsAreNoLayers) {
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record([&] {
    layer("enumerate(DataLoader)#x", [&] { return at::add(x, 1); });
    layer("a", [&] { return layer("gloo:all_reduce", [&] { return at::add(x, 1); }); });
  });
  EXPECT_THAT(trace.ids(), ElementsAre(f + "a#0/input.0", f + "a#0/output.0"));
}

TEST_F(Layers, RandomStateAtEntryReplaysDropout) {
  at::manual_seed(3);
  const at::Tensor x = at::ones({64});
  const Recorded trace = record([&] {
    at::Tensor y = layer("dropout", [&] { return at::dropout(x, 0.5, true); });
    layer("dropout", [&] { return at::dropout(y, 0.5, true); });
  });
  const auto state = [&](int call) { return trace.call("dropout", Pass::forward, call).random; };
  EXPECT_NE(state(0), state(1));
  EXPECT_EQ(trace.reader().blob(state(0)).size(), 5056u);
  expect_replayable(trace);
}

TEST_F(Layers, OpsAreRecordedOnRequest) {
  RecorderOptions wanted = options();
  wanted.ops = true;
  const at::Tensor x = at::tensor({1.f, 2.f});
  const Recorded trace = record(wanted, [&](Recorder&) { layer("a", [&] { return at::neg(at::add(x, 1)); }); });
  EXPECT_THAT(trace.ids(Role::op_output), ElementsAre(f + "a#0/op_output.0.0", f + "a#0/op_output.1.0"));
  EXPECT_FALSE(trace.reader().has_payload(trace.row(f + "a#0/op_output.1.0")));
  EXPECT_EQ(trace.record(f + "a#0/op_output.1.0").fingerprint.hash, trace.record(f + "a#0/output.0").fingerprint.hash);
}

TEST_F(Layers, OpsThatNoOtherProcessHasAreNamed) {
  const at::Tensor x = at::sparse_coo_tensor(at::tensor({0, 1}, at::kLong).view({1, 2}), at::tensor({1.f, 2.f}), {3});
  const Recorded trace = record([&] { layer("a", [&] { return at::neg(x); }); });
  EXPECT_EQ(trace.call("a").replayable, Replayable::unsupported);
  EXPECT_THAT(trace.call("a").note, testing::HasSubstr("input of type"));
}

}  // namespace
}  // namespace goldentrace
