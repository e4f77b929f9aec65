// Where a divergence comes from, and the op inside the layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using testing::boolean_argument;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using ::testing::IsEmpty;
using testing::MemoryTrace;
using testing::op;
using testing::real_argument;
using testing::tape_of;
using testing::tensor_argument;

TapeOp relu(ValueIndex from) { return op("aten::relu", {tensor_argument(from)}, from + 1); }
TapeOp scale(ValueIndex from, double factor) {
  return op("aten::mul", {tensor_argument(from), real_argument(factor)}, from + 1);
}
TapeOp dropout(ValueIndex from) {
  return op("aten::dropout", {tensor_argument(from), real_argument(0.1), boolean_argument(true)}, from + 1);
}

// x -> layer "one" -> ops of (root) -> layer "two".
struct Program {
  std::vector<TapeOp> one{relu(0)};
  std::vector<TapeOp> root{relu(0)};
  std::vector<TapeOp> two{relu(0)};
  float after_one = 2;
  float into_two = 3;
  float after_two = 4;
  std::string random = "state";

  // Layer "one" gives another output, and all that follows feels it.
  void change_one() {
    after_one = 7;
    into_two = 8;
    after_two = 9;
  }
};

void fill(MemoryTrace& trace, const Program& program) {
  const auto x = trace.declare("x", floats({1, 1}));
  const auto in = trace.add(id_of("one", Role::input), floats({1, 1}), {x});
  const auto out = trace.add(id_of("one", Role::output), floats({program.after_one, 1}), {in});
  const auto into = trace.add(id_of("two", Role::input), floats({program.into_two, 1}), {out});
  trace.add(id_of("two", Role::output), floats({program.after_two, 1}), {into});
  trace.call("(root)", tape_of("(root)", program.root));
  trace.call("one", tape_of("one", program.one));
  trace.call("two", tape_of("two", program.two));
  for (LayerCall& call : trace.calls) call.random = trace.random_state(program.random);
}

Report compare(const Program& a, const Program& b, const DiffOptions& options = {}) {
  MemoryTrace trace_a;
  MemoryTrace trace_b;
  trace_a.path = "a.h5";
  trace_b.path = "dir with space/b.h5";
  fill(trace_a, a);
  fill(trace_b, b);
  return diff(trace_a.view(), trace_b.view(), options);
}

TEST(Origin, IntroducedNamesTheExtraOp) {
  Program b;
  b.one = {relu(0), scale(1, 1.01)};
  b.after_one = 2.02F;
  b.into_two = 3.03F;
  b.after_two = 4.04F;
  const Report report = compare({}, b);
  const Divergence& root = report.roots.at(0);
  EXPECT_EQ(root.origin, Origin::introduced);
  EXPECT_EQ(root.pair.id.layer, "one");
  EXPECT_EQ(root.pair.id.role, Role::output);
  ASSERT_TRUE(root.op);
  EXPECT_EQ(root.op->status, "only_in_b");
  EXPECT_EQ(root.op->name, "aten::mul");
  EXPECT_EQ(root.op->ordinal, 1);
  EXPECT_FALSE(root.from);
  EXPECT_EQ(root.explanation, "what it was computed from agrees bit for bit, it does not");
  EXPECT_EQ(report.roots.size(), 1U);
  EXPECT_EQ(report.followers, 2);
}

TEST(Origin, GlueNamesBothLayers) {
  Program b;
  b.root = {relu(0), scale(1, 0.5)};
  b.into_two = 1.5F;
  b.after_two = 2;
  const Divergence root = compare({}, b).roots.at(0);
  EXPECT_EQ(root.origin, Origin::glue);
  EXPECT_EQ(root.pair.id.role, Role::input);
  EXPECT_EQ(root.pair.id.layer, "two");
  EXPECT_EQ(root.from, "one");
  EXPECT_EQ(root.to, "two");
  ASSERT_TRUE(root.op);
  EXPECT_EQ(root.op->status, "only_in_b");
  EXPECT_EQ(root.op->text, "only in B: mul(%1, 0.5)");
}

TEST(Origin, GlueOfAnEnclosingLabelComparesItsOwnOps) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const bool faulty = trace == &b;
    const auto out = trace->add(id_of("block.fc", Role::output), floats({1, 2}));
    const auto into = trace->add(id_of("block.act", Role::input), floats({1, faulty ? 3.0F : 2.0F}), {out});
    trace->add(id_of("block.act", Role::output), floats({1, faulty ? 3.0F : 2.0F}), {into});
    TapeOp inner = relu(0);
    inner.label = "block.fc";
    std::vector<TapeOp> ops{inner};
    if (faulty) ops.push_back(scale(1, 1.5));
    const auto block = trace->call("block", tape_of("block", ops));
    trace->call("block.fc", tape_of("block.fc", {relu(0)}), block);
    trace->call("block.act", tape_of("block.act", {relu(0)}), block);
  }
  const Divergence root = diff(a.view(), b.view()).roots.at(0);
  EXPECT_EQ(root.origin, Origin::glue);
  EXPECT_EQ(root.from, "block.fc");
  EXPECT_EQ(root.to, "block.act");
  ASSERT_TRUE(root.op);
  EXPECT_EQ(root.op->name, "aten::mul");
}

TEST(Origin, RandomWhenTheStateDiffersAndTheLayerDraws) {
  Program a;
  Program b;
  a.one = b.one = {dropout(0)};
  b.random = "other state";
  b.change_one();
  EXPECT_EQ(compare(a, b).roots.at(0).origin, Origin::random);
  a.one = b.one = {relu(0)};
  EXPECT_EQ(compare(a, b).roots.at(0).origin, Origin::introduced) << "a layer that draws nothing";
  a.one = b.one = {dropout(0)};
  b.random = a.random;
  EXPECT_EQ(compare(a, b).roots.at(0).origin, Origin::introduced) << "equal states";
}

TEST(Origin, SameCodeAndSameInputs) {
  Program b;
  b.change_one();
  const Divergence root = compare({}, b).roots.at(0);
  EXPECT_FALSE(root.op);
  EXPECT_THAT(root.explanation, HasSubstr("same code, same inputs: kernel, thread count or memory"));
}

TEST(Origin, SameCodeButInputsOnlyWithinTheGate) {
  Program b;
  b.after_one = 2.00001F;
  b.into_two = 7;
  b.after_two = 8;
  const Divergence root = compare({}, b).roots.at(0);
  EXPECT_EQ(root.pair.id.layer, "two");
  EXPECT_THAT(root.explanation, HasSubstr("its inputs are not bit-equal"));
}

TEST(Origin, OtherArgumentIsNamed) {
  Program a;
  Program b;
  a.one = {scale(0, 2)};
  b.one = {scale(0, 3)};
  b.change_one();
  EXPECT_EQ(compare(a, b).roots.at(0).op->text, "mul other 2.0 | 3.0");
}

TEST(Origin, RecordedOpValuesNameTheOp) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const bool faulty = trace == &b;
    trace->add(id_of("one", Role::op_output, "0.0"), floats({1}));
    trace->add(id_of("one", Role::op_output, "1.0"), floats({faulty ? 5.0F : 2.0F}));
    trace->add(id_of("one", Role::output), floats({faulty ? 6.0F : 3.0F}));
    trace->call("one", tape_of("one", {relu(0), relu(1), relu(2)}));
  }
  const Divergence root = diff(a.view(), b.view()).roots.at(0);
  ASSERT_TRUE(root.op);
  EXPECT_EQ(root.op->status, "value");
  EXPECT_EQ(root.op->ordinal, 1);
}

TEST(Origin, RecordedOpValuesChooseAmongDifferencesInCode) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const bool faulty = trace == &b;
    trace->add(id_of("one", Role::op_output, "0.0"), floats({1}));
    trace->add(id_of("one", Role::op_output, "1.0"), floats({faulty ? 5.0F : 2.0F}));
    trace->add(id_of("one", Role::output), floats({faulty ? 5.0F : 2.0F}));
    trace->call("one", tape_of("one", {scale(0, faulty ? 1.0 : 2.0), scale(1, faulty ? 3.0 : 4.0)}));
  }
  const Divergence root = diff(a.view(), b.view()).roots.at(0);
  EXPECT_EQ(root.op->ordinal, 1) << "the first difference in code changed no value";
  EXPECT_EQ(root.op->status, "argument");
  EXPECT_EQ(root.tape.size(), 2U);
}

TEST(Origin, TheUpdateOfTheOptimizerHasItsOwnTape) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const bool faulty = trace == &b;
    RecordId grad = id_of("one", Role::param_grad, "weight", Pass::update);
    RecordId param = id_of("one", Role::param, "weight", Pass::update);
    grad.micro = param.micro = no_micro;
    const auto row = trace->add(grad, floats({1}));
    trace->add(param, floats({faulty ? 2.0F : 3.0F}), {row});
    trace->call("(root)", tape_of("(root)", {scale(0, faulty ? 0.2 : 0.1)}), -1, Pass::update);
    trace->calls.back().micro = no_micro;
  }
  const Divergence root = diff(a.view(), b.view()).roots.at(0);
  EXPECT_EQ(root.origin, Origin::introduced);
  EXPECT_EQ(root.op->text, "mul other 0.1 | 0.2");
  EXPECT_THAT(root.replay_command, IsEmpty());
}

TEST(Origin, GradientsAreComparedByTheForwardTape) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    const bool faulty = trace == &b;
    const auto grad = trace->add(id_of("one", Role::grad_output, "0", Pass::backward), floats({1}));
    trace->add(id_of("one", Role::grad_input, "0", Pass::backward), floats({faulty ? 2.0F : 3.0F}), {grad});
    trace->call("one", tape_of("one", {faulty ? scale(0, 2) : scale(0, 3)}));
  }
  const Divergence root = diff(a.view(), b.view()).roots.at(0);
  EXPECT_EQ(root.origin, Origin::introduced);
  EXPECT_EQ(root.op->text, "mul other 3.0 | 2.0");
  EXPECT_THAT(root.replay_command, HasSubstr("--pass backward"));
}

// Ops of (root) that look at a loss have no part in what the optimizer writes.
TEST(Origin, OfAnUpdateIsNoOpThatWritesNothing) {
  for (const double factor : {0.1, 0.2}) {
    MemoryTrace a;
    MemoryTrace b;
    for (MemoryTrace* trace : {&a, &b}) {
      const bool faulty = trace == &b;
      trace->add(id_of("one", Role::param, "weight", Pass::update), floats({faulty ? 2.0F : 3.0F}));
      trace->records.back().id.micro = no_micro;
      TapeOp step = op("aten::add_", {tensor_argument(0), real_argument(faulty ? factor : 0.1)}, 0);
      TapeOp look = op("aten::detach", {tensor_argument(0)}, 2);
      if (faulty) look.arguments.push_back(real_argument(1));
      trace->call("(root)", tape_of("(root)", {step, look}), -1, Pass::update);
      trace->calls.back().micro = no_micro;
    }
    const Divergence root = diff(a.view(), b.view()).roots.at(0);
    if (factor == 0.1) {
      EXPECT_FALSE(root.op) << root.op->text;
    } else {
      ASSERT_TRUE(root.op);
      EXPECT_EQ(root.op->name, "aten::add_");
    }
  }
}

TEST(Replay, CommandNamesTheCallAndQuotesThePath) {
  Program b;
  b.change_one();
  EXPECT_EQ(compare({}, b).roots.at(0).replay_command,
            "gtrace replay 'dir with space/b.h5' --layer one --step 0 --micro 0 --pass forward");
  Program glue;
  glue.into_two = 9;
  glue.after_two = 10;
  EXPECT_THAT(compare({}, glue).roots.at(0).replay_command, HasSubstr("--layer two"));
  EXPECT_THAT(compare({}, glue).roots.at(0).replay_command, HasSubstr("--inputs a.h5"));
}

TEST(Origin, RootsBeyondTheLimitAreListedWithoutTheirCode) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) {
    for (int i = 0; i < 3; ++i) {
      const std::string layer = "layer." + std::to_string(i);
      trace->add(id_of(layer, Role::output), floats({trace == &b ? 10.0F + static_cast<float>(i) : 1.0F}));
      trace->call(layer, tape_of(layer, {scale(0, trace == &b ? 2 : 1)}));
    }
  }
  DiffOptions options;
  options.limit = 1;
  const Report report = diff(a.view(), b.view(), options);
  ASSERT_EQ(report.roots.size(), 3U);
  EXPECT_TRUE(report.roots[0].op);
  EXPECT_FALSE(report.roots[2].op);
  EXPECT_THAT(to_text(report, {1}), HasSubstr("other independent divergences (2)"));
  EXPECT_THAT(to_text(report, {1}), HasSubstr("… and 1 more"));
}

}  // namespace
}  // namespace goldentrace
