// What a relation file may say, and what is said when it cannot be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "diff/relation/built_in.h"
#include "diff/relation/relation.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::string& text) {
  try {
    parse_relation(text, "r.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "no error";
}

TEST(RelationFile, ReadsPairsAndWhatIsAbsent) {
  const Relation relation = parse_relation(R"TOML(
relation = "mine"
[symbols]
n = 4
[[pair]]
a = "layers.{i}.fc"
b = "h.{i}.c_fc"
role = ["output", "grad_output"]
form_a = "split(-1, n, -1)"
[[absent]]
b = "extra.*"
reason = "b counts them"
[[pair]]
layer = "loss"
when_a = { "model.x" = ["", "1"] }
)TOML",
                                           "r.toml");
  EXPECT_EQ(relation.name, "mine");
  ASSERT_EQ(relation.lines.size(), 3U);
  EXPECT_THAT(relation.lines[0].a->roles, ElementsAre(Role::output, Role::grad_output));
  EXPECT_EQ(relation.lines[1].reason, "b counts them");
  EXPECT_FALSE(relation.lines[1].a);
  EXPECT_EQ(relation.lines[2].line, 13);
  EXPECT_TRUE(holds(relation.lines[2].when_a, {}));
  EXPECT_FALSE(holds(relation.lines[2].when_a, {{"model.x", "2"}}));
}

TEST(RelationFile, NamesFileLineAndTheClosestWord) {
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nrole = \"outptu\"\n"),
              AllOf(StartsWith("r.toml: line 3: unknown role 'outptu'"), HasSubstr("did you mean 'output'?")));
  EXPECT_THAT(error_of("[[pairs]]\nlayer = \"x\"\n"), HasSubstr("did you mean 'pair'?"));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nfrom_a = \"sum(micro)\"\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("did you mean 'form_a'?")));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nform = \"summ(micro)\"\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("did you mean 'sum'?")));
  EXPECT_THAT(error_of("[symbols]\nheads = 4\n[[pair]]\nlayer = \"x\"\nform = \"split(0, haeds, -1)\"\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("did you mean 'heads'?")));
  EXPECT_THAT(error_of("[[pair]\nlayer = 1\n"), AllOf(StartsWith("r.toml: line 1"), HasSubstr("is no TOML")));
}

TEST(RelationFile, NamesTheClosestWordOfWhatSplitRunsNeed) {
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nform = \"sum(mirco)\"\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("unknown dimension 'mirco', did you mean 'micro'?")));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nform = \"concat(0, tenser)\"\n"), HasSubstr("did you mean 'tensor'?"));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\npass = \"recompute\"\nstand_in = \"foward\"\n"),
              AllOf(HasSubstr("line 4"), HasSubstr("unknown pass 'foward', did you mean 'forward'?")));
  EXPECT_THAT(error_of("[symbols]\nk = { onw = \"ranks.data\" }\n[[pair]]\nlayer = \"x\"\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("did you mean 'own'?")));
  EXPECT_THAT(error_of("[symbols]\nk = { own = \"a\", b = \"c\" }\n[[pair]]\nlayer = \"x\"\n"),
              HasSubstr("'own' stands for both sides"));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nform = \"weighted-mean(micro, 0.5, 0.4)\"\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("sum to 0.9, not to 1")));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nwhen_c = { }\n"), HasSubstr("did you mean 'when_a'?"));
}

TEST(RelationFile, RefusesWhatCannotBeRight) {
  EXPECT_THAT(error_of(""), HasSubstr("no [[pair]]"));
  EXPECT_THAT(error_of("[[pair]]\na = \"x\"\n"), HasSubstr("needs 'layer', or both 'a' and 'b'"));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\na = \"y\"\n"), HasSubstr("stands for both sides"));
  EXPECT_THAT(error_of("[[pair]]\na = \"x.{i}\"\nb = \"y\"\n"), HasSubstr("{i} of 'x.{i}' is not in 'y'"));
  EXPECT_THAT(error_of("[[pair]]\na = \"x.{i\"\nb = \"y\"\n"), HasSubstr("'{' without '}'"));
  EXPECT_THAT(error_of("[[absent]]\na = \"x\"\n"), HasSubstr("needs a 'reason'"));
  EXPECT_THAT(error_of("[[absent]]\na = \"x\"\nb = \"y\"\nreason = \"z\"\n"), HasSubstr("needs one of 'a' and 'b'"));
  EXPECT_THAT(error_of("[[pair]]\nlayer = \"x\"\nindex_a = \"0\"\n"), HasSubstr("go together"));
  EXPECT_THAT(error_of("[[pair]]\nlayer = 3\n"), HasSubstr("must be a text in quotes"));
}

TEST(RelationFile, BuiltInOnesCanBeReadAndArePrinted) {
  for (const std::string& name : built_in_relations()) {
    EXPECT_EQ(built_in_relation(name)->name, name);
    EXPECT_THAT(std::string(relation_text(name)), HasSubstr("[[pair]]"));
  }
  EXPECT_THROW(relation_text("megatron-fh"), Error);
}

}  // namespace
}  // namespace goldentrace
