#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tape/executor.h"
#include "tests/tape/tape_recorder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TapedRun sample() {
  const at::Tensor x = at::randn({2, 3});
  return tape_of([&] { return std::vector{x.view({3, 2}).add(1.0)}; });
}

std::string failure(const TapedRun& run) {
  try {
    run_tape(run.tape, inputs_of(run));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HostileTape, TheSampleIsFine) { EXPECT_EQ(failure(sample()), "no error"); }

TEST(HostileTape, UnknownOp) {
  TapedRun run = sample();
  run.tape.ops[1].name = "aten::no_such_op";
  EXPECT_THAT(failure(run), AllOf(HasSubstr("op 1 aten::no_such_op."), HasSubstr("does not know the op")));
  run.tape.ops[1].name = "";
  EXPECT_THAT(failure(run), HasSubstr("does not know the op"));
}

TEST(HostileTape, OpsThatReachOutside) {
  TapedRun run = sample();
  run.tape.ops[1].name = "aten::from_file";
  EXPECT_THAT(failure(run), HasSubstr("files"));
  run.tape.ops[1].name = "_c10d_functional::all_reduce";
  EXPECT_THAT(failure(run), HasSubstr("collectives"));
}

TEST(HostileTape, WrongArgumentKind) {
  TapedRun run = sample();
  run.tape.ops[0].arguments[1] = {.kind = ArgumentKind::string, .text = "x"};
  EXPECT_THAT(failure(run), AllOf(HasSubstr("op 0 aten::view"), HasSubstr("argument size"), HasSubstr("string given")));
}

TEST(HostileTape, WrongArgumentCount) {
  TapedRun run = sample();
  run.tape.ops[0].arguments.pop_back();
  EXPECT_THAT(failure(run), HasSubstr("1 arguments given where 2"));
}

TEST(HostileTape, ValuesOutOfRange) {
  for (const ValueIndex index : {-1, -2147483647, 3, 2147483647}) {
    TapedRun run = sample();
    run.tape.ops[1].arguments[0].value = index;
    EXPECT_THAT(failure(run), HasSubstr("has no value")) << index;
    run = sample();
    run.tape.ops[1].results[0].value = index;
    EXPECT_THAT(failure(run), HasSubstr("has no value")) << index;
    run = sample();
    run.tape.outputs[0].value = index;
    EXPECT_THAT(failure(run), HasSubstr("has no value")) << index;
  }
}

TEST(HostileTape, ValueReadBeforeItIsMade) {
  TapedRun run = sample();
  run.tape.ops[0].arguments[0].value = 2;
  EXPECT_THAT(failure(run), HasSubstr("read before"));
}

TEST(HostileTape, AliasOfItself) {
  TapedRun run = sample();
  run.tape.values.push_back({.source = ValueSource::alias, .shape = {1}, .strides = {1}, .base = 3});
  run.tape.ops[1].arguments[0].value = 3;
  EXPECT_THAT(failure(run), HasSubstr("alias"));
}

TEST(HostileTape, AliasBeyondItsStorage) {
  TapedRun run = sample();
  run.tape.values.push_back({.source = ValueSource::alias, .shape = {1000}, .strides = {1000}, .base = 1});
  run.tape.ops[1].arguments[0].value = 3;
  EXPECT_THAT(failure(run), AllOf(HasSubstr("op 1"), HasSubstr("out of bounds"), Not(HasSubstr("\n"))));
}

TEST(HostileTape, HugeSizes) {
  TapedRun run = tape_of([&] { return std::vector{at::zeros({2})}; });
  run.tape.ops[0].arguments[0].items[0].integer = std::int64_t{1} << 50;
  EXPECT_THAT(failure(run), HasSubstr("op 0 aten::zeros"));
  run.tape.ops[0].arguments[0].items[0].integer = -1;
  EXPECT_THAT(failure(run), HasSubstr("op 0 aten::zeros"));
}

TEST(HostileTape, ResultsOfAnotherKind) {
  TapedRun run = sample();
  run.tape.ops[1].results.clear();
  EXPECT_THAT(failure(run), HasSubstr("1 results given where the tape has 0"));
  run = tape_of([&] { return at::ones({4}).split(2); });
  run.tape.ops.back().results[0].items.pop_back();
  EXPECT_THAT(failure(run), HasSubstr("a list of 2, not of 1"));
}

TEST(HostileTape, ShapesThatDoNotFit) {
  TapedRun run = sample();
  run.tape.ops[0].arguments[1].items[0].integer = 7;
  EXPECT_THAT(failure(run), AllOf(HasSubstr("op 0 aten::view"), HasSubstr("invalid for input"), Not(HasSubstr("\n"))));
}

TEST(HostileTape, WrongGeneratorStates) {
  TapedRun run = tape_of([&] { return std::vector{at::ones({2}).bernoulli_(0.5)}; });
  run.tape.ops[1].arguments[2] = {.kind = ArgumentKind::generator, .text = "00ff"};
  EXPECT_THAT(failure(run), HasSubstr("2 bytes"));
  run.tape.ops[1].arguments[2].text = std::string(2 * 5056, 'f');
  EXPECT_THAT(failure(run), HasSubstr("op 1 aten::bernoulli_"));
  run = sample();
  run.random_state = at::zeros({3}, at::kByte);
  EXPECT_NE(failure(run), "no error");
}

TEST(HostileTape, MarkedUnsupported) {
  TapedRun run = sample();
  run.tape.unsupported = "op 3 mylib::flash: no schema";
  EXPECT_EQ(failure(run), "op 3 mylib::flash: no schema");
}

}  // namespace
}  // namespace goldentrace
