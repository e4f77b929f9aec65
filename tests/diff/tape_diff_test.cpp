#include "diff/tape_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/op_text.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using testing::boolean_argument;
using ::testing::ElementsAre;
using testing::integer_argument;
using ::testing::IsEmpty;
using testing::op;
using testing::real_argument;
using testing::tape_of;
using testing::tensor_argument;
using testing::text_argument;

std::vector<std::string> texts(const std::vector<TapeDifference>& differences) {
  std::vector<std::string> result;
  for (const TapeDifference& each : differences) {
    result.push_back(std::string(name(each.change)) + ": " + each.text);
  }
  return result;
}

TapeOp layer_norm(double eps) {
  return op("aten::layer_norm",
            {tensor_argument(0), Argument{}, Argument{}, Argument{}, real_argument(eps), boolean_argument(true)}, 1);
}

TapeOp unary(const std::string& name, ValueIndex from) { return op(name, {tensor_argument(from)}, from + 1); }

TEST(TapeDiff, EqualTapesHaveNone) {
  const Tape tape = tape_of("x", {layer_norm(1e-5), unary("aten::relu", 1)});
  EXPECT_THAT(diff_tapes(tape, tape), IsEmpty());
}

TEST(TapeDiff, NamesTheOtherArgument) {
  const auto found = diff_tapes(tape_of("x", {layer_norm(1e-5)}), tape_of("x", {layer_norm(1e-6)}));
  EXPECT_THAT(texts(found), ElementsAre("argument: layer_norm eps 1e-05 | 1e-06"));
  EXPECT_EQ(found[0].op, "aten::layer_norm");
}

TEST(TapeDiff, FindsAnOpOnOneSide) {
  const Tape a = tape_of("x", {unary("aten::relu", 0)});
  const Tape b = tape_of("x", {unary("aten::relu", 0), op("aten::mul", {tensor_argument(1), real_argument(1.01)}, 2)});
  EXPECT_THAT(texts(diff_tapes(a, b)), ElementsAre("only_in_b: only in B: mul(%1, 1.01)"));
  EXPECT_EQ(diff_tapes(a, b)[0].ordinal_b, 1);
  EXPECT_EQ(diff_tapes(a, b)[0].ordinal_a, -1);
  EXPECT_THAT(texts(diff_tapes(b, a)), ElementsAre("only_in_a: only in A: mul(%1, 1.01)"));
}

TEST(TapeDiff, AnInsertedOpDoesNotMakeItsReadersDiffer) {
  const Tape a = tape_of("x", {unary("aten::relu", 0), unary("aten::tanh", 1)});
  const Tape b = tape_of("x", {unary("aten::relu", 0), unary("aten::neg", 1), unary("aten::tanh", 2)});
  EXPECT_THAT(texts(diff_tapes(a, b)), ElementsAre("only_in_b: only in B: neg(%1)"));
}

TEST(TapeDiff, OfARepeatedOpTheLastIsTheExtraOne) {
  const Tape a = tape_of("x", {unary("aten::relu", 0)});
  const Tape b = tape_of("x", {unary("aten::relu", 0), unary("aten::relu", 1)});
  ASSERT_EQ(diff_tapes(a, b).size(), 1U);
  EXPECT_EQ(diff_tapes(a, b)[0].ordinal_b, 1);
}

TEST(TapeDiff, NamesTheOpInItsPlace) {
  const Tape a = tape_of("x", {op("aten::gelu", {tensor_argument(0), text_argument("tanh")}, 1)});
  const Tape b = tape_of("x", {unary("aten::relu", 0)});
  EXPECT_THAT(texts(diff_tapes(a, b)), ElementsAre("other_op: gelu(input 0, 'tanh') | relu(input 0)"));
}

TEST(TapeDiff, NamesTheOtherOperand) {
  const auto sum = [](ValueIndex first, ValueIndex second) {
    return op("aten::add", {tensor_argument(first), tensor_argument(second), integer_argument(1)}, 3);
  };
  const Tape a = tape_of("x", {unary("aten::relu", 0), unary("aten::tanh", 1), sum(2, 0)});
  const Tape b = tape_of("x", {unary("aten::relu", 0), unary("aten::tanh", 1), sum(2, 1)});
  ASSERT_EQ(diff_tapes(a, b).size(), 1U);
  EXPECT_EQ(diff_tapes(a, b)[0].text, "add other input 0 | %1");
}

TEST(TapeDiff, SeesModes) {
  TapeOp half = unary("aten::relu", 0);
  half.autocast = DType::bfloat16;
  EXPECT_THAT(texts(diff_tapes(tape_of("x", {unary("aten::relu", 0)}), tape_of("x", {half}))),
              ElementsAre("mode: relu run with grad | autocast bfloat16 grad"));
}

TEST(TapeDiff, OwnOpsLeaveOutInnerLabels) {
  TapeOp inner_a = layer_norm(1e-5);
  TapeOp inner_b = layer_norm(1e-6);
  inner_a.label = inner_b.label = "h.ln";
  TapeDiffOptions own;
  own.scope = TapeScope::own;
  EXPECT_THAT(diff_tapes(tape_of("h", {inner_a}), tape_of("h", {inner_b}), own), IsEmpty());
  EXPECT_EQ(diff_tapes(tape_of("h", {inner_a}), tape_of("h", {inner_b})).size(), 1U);
}

TEST(TapeDiff, MarksOpsThatTheOutputDoesNotDependOn) {
  Tape a = tape_of("x", {layer_norm(1e-5), op("aten::tanh", {tensor_argument(0)}, 2)});
  Tape b = tape_of("x", {layer_norm(1e-6), op("aten::tanh", {tensor_argument(0)}, 2)});
  a.outputs = b.outputs = {{1, 0}, {2, 1}};
  TapeDiffOptions options;
  options.output = 1;
  EXPECT_FALSE(diff_tapes(a, b, options)[0].upstream);
  options.output = 0;
  EXPECT_TRUE(diff_tapes(a, b, options)[0].upstream);
}

TEST(TapeDiff, AlignsLongTapesInWindows) {
  std::vector<TapeOp> ops;
  for (int i = 0; i < 3000; ++i) ops.push_back(op("aten::add", {tensor_argument(i), integer_argument(i % 97)}, i + 1));
  const Tape a = tape_of("x", ops);
  ops.insert(ops.begin() + 10, op("aten::neg", {tensor_argument(10)}, 3001));
  ops.insert(ops.begin() + 2000, op("aten::neg", {tensor_argument(10)}, 3002));
  const std::vector<TapeDifference> found = diff_tapes(a, tape_of("x", ops));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].ordinal_b, 10);
  EXPECT_EQ(found[1].ordinal_b, 2000);
}

TEST(TapeDiff, NamesAnUnknownOpsArgumentsByNumber) {
  EXPECT_EQ(argument_name(op("mine::op", {}, 1), 2), "argument 2");
  EXPECT_EQ(argument_name(op("aten::addmm", {}, 1), 4), "alpha");
}

TEST(OpText, KnowsWhichOpsDrawRandomNumbers) {
  const auto dropout = [](double p, bool train) {
    return op("aten::dropout", {tensor_argument(0), real_argument(p), boolean_argument(train)}, 1);
  };
  EXPECT_TRUE(draws_random(dropout(0.1, true)));
  EXPECT_FALSE(draws_random(dropout(0.1, false)));
  EXPECT_FALSE(draws_random(dropout(0, true)));
  EXPECT_TRUE(draws_random(op("aten::bernoulli_", {tensor_argument(0)}, 0)));
  EXPECT_FALSE(draws_random(unary("aten::relu", 0)));
}

}  // namespace
}  // namespace goldentrace
