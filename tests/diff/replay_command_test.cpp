#include "diff/replay_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/diff.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using testing::floats;
using testing::id_of;
using testing::MemoryTrace;
using testing::op;
using testing::tape_of;
using testing::tensor_argument;

enum class Payload { full, sketch, results_only };

// Layer "one" gives another output; its gradient arrives from outside.
void fill(MemoryTrace& trace, float result, Role role) {
  const bool backward = role == Role::grad_input;
  const Pass pass = backward ? Pass::backward : Pass::forward;
  const auto in = trace.add(id_of("one", Role::input), floats({1, 1}));
  const auto grad = trace.add(id_of("one", Role::grad_output, "0", Pass::backward), floats({5, 5}));
  trace.add(id_of("one", role, "0", pass), floats({result, 1}), {backward ? grad : in});
  trace.call("one", tape_of("one", {op("aten::relu", {tensor_argument(0)}, 1)}));
}

TraceView view(const MemoryTrace& trace, Payload payload) {
  TraceView result = trace.view();
  result.has_payload = [payload](std::int64_t row) {
    return payload == Payload::full || (payload == Payload::results_only && row == 2);
  };
  return result;
}

std::string command(Payload of_a, Payload of_b, Role role = Role::output) {
  MemoryTrace a;
  MemoryTrace b;
  a.path = "a.h5";
  b.path = "b.h5";
  fill(a, 2, role);
  fill(b, 3, role);
  return diff(view(a, of_a), view(b, of_b)).roots.at(0).replay_command;
}

TEST(ReplayCommand, RunsBWhereItHasItsInputs) {
  EXPECT_EQ(command(Payload::full, Payload::full), "gtrace replay b.h5 --layer one --step 0 --micro 0 --pass forward");
  EXPECT_EQ(command(Payload::sketch, Payload::full),
            "gtrace replay b.h5 --layer one --step 0 --micro 0 --pass forward");
}

TEST(ReplayCommand, RunsTheOpsOfASketchOnTheInputsOfTheOtherTrace) {
  for (const Payload of_b : {Payload::sketch, Payload::results_only}) {
    EXPECT_EQ(command(Payload::full, of_b),
              "gtrace replay a.h5 --layer one --step 0 --micro 0 --pass forward --tape-from b.h5");
    EXPECT_EQ(command(Payload::full, of_b, Role::grad_input),
              "gtrace replay a.h5 --layer one --step 0 --micro 0 --pass backward --tape-from b.h5");
  }
}

TEST(ReplayCommand, IsNotThereWithoutInputs) {
  EXPECT_EQ(command(Payload::sketch, Payload::sketch), "");
  EXPECT_EQ(command(Payload::sketch, Payload::results_only), "");
}

TEST(ShellQuoted, KeepsEveryByteInOneLine) {
  EXPECT_EQ(shell_quoted("runs/b.h5"), "runs/b.h5");
  EXPECT_EQ(shell_quoted("it's $b"), "'it'\\''s $b'");
  EXPECT_EQ(shell_quoted("a\nb'\\\x1b\xff"), "$'a\\012b\\'\\\\\\033\\377'");
}

}  // namespace
}  // namespace goldentrace
