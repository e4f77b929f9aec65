#include "diff/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

RecordId id(const std::string& layer, Role role = Role::output, Pass pass = Pass::forward) {
  RecordId each;
  each.layer = layer;
  each.role = role;
  each.pass = pass;
  return each;
}

std::string refusal(const std::string& text) {
  try {
    parse_rules(text, "rules.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

TEST(Rules, MatchByLayerRoleAndPass) {
  const Rules rules = parse_rules(R"(
[[rule]]
layer = "h.*.act"
role = ["output", "param"]
pass = "forward"
gate = "allclose"
atol = 1e-3
)",
                                  "rules.toml");
  ASSERT_EQ(rules.rules.size(), 1U);
  EXPECT_TRUE(rules.find(id("h.1.mlp.act")));
  EXPECT_FALSE(rules.find(id("h.1.mlp.fc")));
  EXPECT_FALSE(rules.find(id("h.1.mlp.act", Role::input)));
  EXPECT_FALSE(rules.find(id("h.1.mlp.act", Role::output, Pass::recompute)));
  EXPECT_EQ(rules.rules[0].line, 2);
}

TEST(Rules, TheLastOneThatMatchesDecides) {
  const Rules rules = parse_rules("[[rule]]\ngate = \"bitwise\"\n[[rule]]\nlayer = [\"a\", \"b\"]\nrel = 0.5\n", "r");
  Gate base;
  base.nan = NanPolicy::differ;
  EXPECT_EQ(rules.find(id("c"))->apply(base).kind, GateKind::bitwise);
  const Gate gate = rules.find(id("b"))->apply(base);
  EXPECT_EQ(gate.kind, GateKind::rel);
  EXPECT_EQ(gate.rel, 0.5);
  EXPECT_EQ(gate.nan, NanPolicy::differ) << "what a rule leaves out comes from the command line";
}

TEST(Rules, ErrorsNameFileLineAndTheNearestWord) {
  EXPECT_THAT(refusal("[[rule]]\nlayr = \"x\"\n"), HasSubstr("rules.toml"));
  EXPECT_THAT(refusal("[[rule]]\nlayr = \"x\"\n"), HasSubstr("line 2: unknown key 'layr', did you mean 'layer'?"));
  EXPECT_THAT(refusal("[[rule]]\n\nrole = \"outptu\"\n"),
              HasSubstr("line 3: unknown role 'outptu', did you mean 'output'?"));
  EXPECT_THAT(refusal("[[rule]]\npass = \"forwards\"\n"), HasSubstr("did you mean 'forward'?"));
  EXPECT_THAT(refusal("[[rule]]\ngate = \"bitwize\"\n"), HasSubstr("did you mean 'bitwise'?"));
  EXPECT_THAT(refusal("[[rule]]\nnan = \"equal\"\n"), HasSubstr("use same, differ"));
  EXPECT_THAT(refusal("[[rules]]\nrel = 1\n"), HasSubstr("did you mean 'rule'?"));
}

TEST(Rules, RefuseWhatMeansNothing) {
  EXPECT_THAT(refusal("[[rule]]\nrel = -1\n"), HasSubstr("line 2: 'rel' must be a number >= 0"));
  EXPECT_THAT(refusal("[[rule]]\nrel = nan\n"), HasSubstr("'rel' must be a number >= 0"));
  EXPECT_THAT(refusal("[[rule]]\nrel = \"small\"\n"), HasSubstr("'rel' must be a number >= 0"));
  EXPECT_THAT(refusal("[[rule]]\ngate = \"bitwise\"\nrtol = 1\n"), HasSubstr("belong to gate = \"allclose\""));
  EXPECT_THAT(refusal("[[rule]]\ngate = \"allclose\"\nrel = 1\n"), HasSubstr("belongs to gate = \"rel\""));
  EXPECT_THAT(refusal("[[rule]]\nlayer = 3\n"), HasSubstr("'layer' must be a string or a list of strings"));
  EXPECT_THAT(refusal("[[rule]]\nlayer = []\n"), HasSubstr("'layer' must be"));
  EXPECT_THAT(refusal("[[rule]]\ngate = [\"rel\", \"bitwise\"]\n"), HasSubstr("takes one word"));
  EXPECT_THAT(refusal("rule = 3\n"), HasSubstr("[[rule]]"));
  EXPECT_THAT(refusal(""), HasSubstr("no [[rule]]"));
  EXPECT_THAT(refusal("[[rule]\n"), HasSubstr("line 1"));
}

std::string unread(const std::string& text, GateKind kind) {
  try {
    refuse_unread_limits(parse_rules(text, "rules.toml"), kind);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return {};
}

TEST(Rules, ALimitThatTheGateDoesNotReadIsRefused) {
  const std::string atol = "[[rule]]\nrel = 1\ngate = \"rel\"\n[[rule]]\nlayer = \"a\"\natol = 1\n";
  EXPECT_THAT(unread(atol, GateKind::rel), HasSubstr("rules.toml: line 4: 'atol' belongs to gate = \"allclose\""));
  EXPECT_THAT(unread(atol, GateKind::bitwise), HasSubstr("line 4: 'atol'"));
  EXPECT_EQ(unread(atol, GateKind::allclose), "");
  EXPECT_THAT(unread("[[rule]]\nrtol = 1\n", GateKind::rel), HasSubstr("line 1: 'rtol'"));
  EXPECT_THAT(unread("[[rule]]\nrel = 1\n", GateKind::allclose), HasSubstr("line 1: 'rel' belongs to gate = \"rel\""));
  EXPECT_EQ(unread("[[rule]]\nrel = 1\n", GateKind::rel), "");
  EXPECT_EQ(unread("[[rule]]\ngate = \"allclose\"\natol = 1\n", GateKind::rel), "");
}

TEST(Rules, WhatIsNoTomlIsSaidInOurWords) {
  EXPECT_THAT(refusal("[[rule]]\nrel = small\n"),
              EndsWith("line 2: 'rel' needs a number, as in rel = 1e-4; found 'small'"));
  EXPECT_THAT(refusal("[[rule]]\nrel = 1e-4 # fine\nlayer = \"h.*\n"),
              EndsWith("line 3: 'layer' needs a text in quotes, as in layer = \"h.*.mlp\"; found '\"h.*'"));
  EXPECT_THAT(refusal("[[rule]]\nrel = 1\n\nrel = 2\n"), EndsWith("line 4: 'rel' is set twice in one rule"));
  EXPECT_THAT(refusal("[[rule]]\ngate bitwise\n"), EndsWith("line 2: expected KEY = VALUE; found 'gate bitwise'"));
  EXPECT_THAT(refusal("[[rule]]\nroll = output\n"), HasSubstr("line 2: unknown key 'roll', did you mean 'role'?"));
  EXPECT_THAT(refusal("\n[[rule]\nrel = 1\n"),
              EndsWith("line 2: a rule begins with the line [[rule]]; found '[[rule]'"));
  EXPECT_THAT(refusal("[[rule]]\nlayer = [\"a\",\n\n"), HasSubstr("line 2: 'layer' needs"));
  EXPECT_THAT(refusal("[[rule]]\nrel = \x1b[2J\n"), HasSubstr("found '\\x1b[2J'"));
}

TEST(Rules, AMissingFileIsSaidSo) {
  try {
    read_rules("/nonexistent/rules.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/rules.toml"));
  }
}

}  // namespace
}  // namespace goldentrace
