#include "diff/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/diff.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::MemoryTrace;
using ::testing::Not;
using testing::op;
using testing::real_argument;
using ::testing::StartsWith;
using testing::tape_of;
using testing::tensor_argument;

std::string text_of_a_fault() {
  MemoryTrace a;
  MemoryTrace b;
  a.path = "golden.h5";
  b.path = "candidate.h5";
  for (MemoryTrace* trace : {&a, &b}) {
    const bool faulty = trace == &b;
    RecordId id = id_of("h.1.mlp.act", Role::output);
    id.step = 3;
    trace->add(id, floats({1, 2, faulty ? 6.0F : 3.0F, 4}, {2, 2}));
    trace->call("h.1.mlp.act",
                tape_of("h.1.mlp.act", {op("aten::mul", {tensor_argument(0), real_argument(faulty ? 2 : 1)}, 1)}));
    trace->calls.back().step = 3;
  }
  return to_text(diff(a.view(), b.view()));
}

TEST(TextReport, SaysEverythingThatAPersonNeeds) {
  const std::string text = text_of_a_fault();
  EXPECT_THAT(text, StartsWith("A golden.h5\nB candidate.h5\ngate rel, NaN equals NaN\n"));
  EXPECT_THAT(text,
              HasSubstr("DIVERGED: first divergence: step 3 · micro 0 · rank 0 · forward · h.1.mlp.act · output 0"));
  EXPECT_THAT(text, HasSubstr("introduced: it differs, and nothing that it was computed from was recorded"));
  EXPECT_THAT(text, HasSubstr("#0 aten::mul: mul other 1.0 | 2.0"));
  EXPECT_THAT(text, HasSubstr("at [1, 0]: 3 | 6"));
  EXPECT_THAT(text, HasSubstr("rel 1e-05"));
  EXPECT_THAT(text, HasSubstr("times the limit"));
  EXPECT_THAT(text, HasSubstr("max abs 3"));
  EXPECT_THAT(text, HasSubstr("worst row 1"));
  EXPECT_THAT(text, HasSubstr("ulp apart"));
  EXPECT_THAT(text, HasSubstr("0 of 1 compared record"));
  EXPECT_THAT(text, HasSubstr("gtrace replay candidate.h5 --layer h.1.mlp.act --step 3 --micro 0"));
}

TEST(TextReport, OfEqualTracesIsShort) {
  MemoryTrace a;
  a.add(id_of("x", Role::output), floats({1}));
  const std::string text = to_text(diff(a.view(), a.view()));
  EXPECT_THAT(text, HasSubstr("SAME: 1 record compared, all agree"));
  EXPECT_THAT(text, Not(HasSubstr("origin")));
  EXPECT_THAT(text, HasSubstr("1 bit-equal"));
}

TEST(TextReport, ShowsHowMuchOfTheGateWasUsed) {
  MemoryTrace a;
  MemoryTrace b;
  a.add(id_of("x", Role::output), floats({3, 4}));
  b.add(id_of("x", Role::output), floats({3, 4.00004F}));
  const std::string text = to_text(diff(a.view(), b.view()));
  EXPECT_THAT(text, HasSubstr("closest to the gate (1)"));
  EXPECT_THAT(text, HasSubstr("% used"));
}

// Labels, names and header values come from a file that anybody may have written.
TEST(TextReport, ShowsControlCharactersEscaped) {
  MemoryTrace a;
  MemoryTrace b;
  a.add(id_of("h\n\x1b[2J", Role::output, "0\r"), floats({1}));
  b.add(id_of("h\n\x1b[2J", Role::output, "0\r"), floats({2}));
  a.add(id_of("only\na", Role::output), floats({1}));
  a.header["model"] = "x\x1b]0;title\x07";
  const std::string text = to_text(diff(a.view(), b.view()));
  EXPECT_THAT(text, Not(::testing::AnyOf(HasSubstr("\x1b"), HasSubstr("\r"), HasSubstr("\x07"))));
  EXPECT_THAT(text, HasSubstr("h\\n\\x1b[2J · output 0\\r"));
  EXPECT_THAT(text, HasSubstr("only\\na"));
}

}  // namespace
}  // namespace goldentrace
