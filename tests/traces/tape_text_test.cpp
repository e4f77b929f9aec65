#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "traces/error.h"
#include "traces/tape.h"

namespace goldentrace {
namespace {

using testing::HasSubstr;

Argument tensor(ValueIndex value) { return {.kind = ArgumentKind::tensor, .value = value}; }
Argument integer(std::int64_t value) { return {.kind = ArgumentKind::integer, .integer = value}; }
Argument real(double value) { return {.kind = ArgumentKind::real, .real = value}; }
Argument text(ArgumentKind kind, std::string value) { return {.kind = kind, .text = std::move(value)}; }
Argument list(std::string type, std::vector<Argument> items) {
  return {.kind = ArgumentKind::list, .text = std::move(type), .items = std::move(items)};
}

TapeValue external(Role role, std::int32_t position, std::string index, Shape shape) {
  TapeValue value{.source = ValueSource::external, .role = role, .position = position, .index = std::move(index)};
  value.shape = std::move(shape);
  value.storage = position;
  value.requires_grad = true;
  return value;
}

Tape layer_norm() {
  Tape tape{.layer = "h.0.ln_1"};
  tape.values = {external(Role::input, 0, "0", {2, 768}), external(Role::param, 0, "weight", {768}),
                 external(Role::param, 1, "bias", {768}), TapeValue{}};
  TapeOp op{.name = "aten::layer_norm", .label = "h.0.ln_1"};
  op.arguments = {tensor(0),  list("int", {integer(768)}),
                  tensor(1),  tensor(2),
                  real(1e-5), {.kind = ArgumentKind::boolean, .boolean = true}};
  op.results = {tensor(3)};
  tape.ops = {op};
  tape.outputs = {{.value = 3, .position = 0}};
  return tape;
}

TEST(TapeText, IsWhatTheFormatPageShows) {
  EXPECT_EQ(to_text(layer_norm()),
            "goldentrace.tape/1\n"
            "layer \"h.0.ln_1\"\n"
            "value 0 external index=\"0\" storage=0 shape=[2,768] requires_grad=true\n"
            "value 1 external role=param index=\"weight\" storage=0 shape=[768] requires_grad=true\n"
            "value 2 external role=param position=1 index=\"bias\" storage=1 shape=[768] requires_grad=true\n"
            "value 3 op\n"
            "op \"aten::layer_norm\" \"\" (%0, list(\"int\")[768], %1, %2, 0x1.4f8b588e368f1p-17, true) -> (%3) "
            "label=\"h.0.ln_1\"\n"
            "output 3 position=0\n");
}

TEST(TapeText, RoundTrips) { EXPECT_EQ(parse_tape(to_text(layer_norm())), layer_norm()); }

TEST(TapeText, DescribesAnOpForPeople) {
  const Tape tape = layer_norm();
  EXPECT_EQ(describe(tape, tape.ops[0]), "%3 = aten::layer_norm(%0, [768], weight, bias, 1e-05, True)");
}

TEST(TapeText, RoundTripsEveryKindOfArgument) {
  Tape tape{.layer = "odd \"name\"\\ with\nlines\x7f and ü", .unsupported = "aten::foo: argument \"x\""};
  tape.values = {TapeValue{.source = ValueSource::alias,
                           .storage = 4,
                           .dtype = DType::bfloat16,
                           .shape = {2, 3},
                           .strides = {1, -2},
                           .offset = 5,
                           .base = 1},
                 external(Role::buffer, 9, "running.mean", {})};
  TapeOp op{.name = "aten::all", .overload = "Tensor", .grad_mode = false, .inference_mode = true};
  op.autocast = DType::bfloat16;
  op.arguments = {{},
                  {.kind = ArgumentKind::boolean},
                  integer(std::numeric_limits<std::int64_t>::min()),
                  {.kind = ArgumentKind::complex, .real = -0.5, .imaginary = 3},
                  text(ArgumentKind::string, "tanh, \"quoted\" ]) \\x41"),
                  text(ArgumentKind::device, "cuda:0"),
                  {.kind = ArgumentKind::dtype, .dtype = DType::float8_e4m3fn},
                  text(ArgumentKind::generator, ""),
                  text(ArgumentKind::generator, "00ff"),
                  {.kind = ArgumentKind::number, .dtype = DType::float64, .items = {real(0.1)}},
                  tensor(-1),
                  list("Tensor?", {tensor(1), Argument{}}),
                  list("int", {}),
                  list("any", {list("int", {integer(1)}), list("int", {})})};
  op.results = {list("Tensor", {tensor(0), tensor(1)}), real(2)};
  tape.ops = {op, TapeOp{}};
  EXPECT_EQ(parse_tape(to_text(tape)), tape) << to_text(tape);
}

TEST(TapeText, KeepsEveryBitOfADouble) {
  for (double value : {0.0, -0.0, 0.1, -1e-310, 4.9e-324, 1.7976931348623157e308, HUGE_VAL, -HUGE_VAL,
                       std::bit_cast<double>(0x7ff8000000000123ull), std::bit_cast<double>(0xfff4000000000001ull)}) {
    Tape tape;
    tape.ops = {TapeOp{.name = "f", .arguments = {real(value)}}};
    const Tape back = parse_tape(to_text(tape));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.ops[0].arguments[0].real), std::bit_cast<std::uint64_t>(value));
  }
}

struct HostileText {
  const char* text;
  const char* message;
};

class HostileTape : public testing::TestWithParam<HostileText> {};

TEST_P(HostileTape, IsRefusedWithItsLine) {
  try {
    parse_tape(GetParam().text);
    FAIL() << "accepted: " << GetParam().text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::damaged);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

#define TITLE "goldentrace.tape/1\n"
INSTANTIATE_TEST_SUITE_P(
    Tape, HostileTape,
    testing::Values(HostileText{"", "line 1"}, HostileText{"goldentrace.tape/2\n", "line 1"},
                    HostileText{TITLE "layr \"a\"\n", "line 2, column 5: unknown line 'layr'"},
                    HostileText{TITLE "layer \"a\n", "does not end"}, HostileText{TITLE "layer \"\\q\"\n", "escape"},
                    HostileText{TITLE "layer \"\\x4\"\n", "hexadecimal"},
                    HostileText{TITLE "layer \"a\" more\n", "after the end"},
                    HostileText{TITLE "value 1 op\n", "not numbered in order"},
                    HostileText{TITLE "value 0 magic\n", "unknown source"},
                    HostileText{TITLE "value 0 op role=boss\n", "unknown role"},
                    HostileText{TITLE "value 0 op position=4294967296\n", "32 bits"},
                    HostileText{TITLE "value 0 op shape=[1,\n", "64-bit integer"},
                    HostileText{TITLE "value 0 op shape=[99999999999999999999]\n", "64-bit integer"},
                    HostileText{TITLE "value 0 alias base=7\n", "names value 7 of 1"},
                    HostileText{TITLE "op \"f\" \"\" (%0) -> ()\n", "op 0 names value 0 of 0"},
                    HostileText{TITLE "op \"f\" \"\" (%-2) -> ()\n", "names value -2"},
                    HostileText{TITLE "op \"f\" \"\" (list(\"T\")[%5]) -> ()\n", "names value 5"},
                    HostileText{TITLE "op \"f\" \"\" (0x) -> ()\n", "hexadecimal real"},
                    HostileText{TITLE "op \"f\" \"\" (nan(0)) -> ()\n", "no NaN"},
                    HostileText{TITLE "op \"f\" \"\" (number(float32, 1, 2)) -> ()\n", "one scalar"},
                    HostileText{TITLE "op \"f\" \"\" (dtype(float31)) -> ()\n", "unknown dtype"},
                    HostileText{TITLE "op \"f\" \"\" () -> () autocast=1\n", "unknown dtype"},
                    HostileText{TITLE "output 0 position=0\n", "an output names value 0 of 0"}));

TEST(HostileTape, DeepNestingDoesNotUseUpTheStack) {
  std::string text = TITLE "op \"f\" \"\" (";
  for (int i = 0; i < 100000; ++i) text += "list(\"\")[";
  EXPECT_THROW(parse_tape(text), Error);
}

TEST(HostileTape, AnyCutOrFlipIsAnErrorOrAnotherTape) {
  const std::string good = to_text(layer_norm());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    for (const std::string& text : {good.substr(0, i), flipped}) {
      try {
        const Tape tape = parse_tape(text);
        EXPECT_EQ(parse_tape(to_text(tape)), tape);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::damaged);
      }
    }
  }
}

}  // namespace
}  // namespace goldentrace
