#include "diff/align.h"

#include <gtest/gtest.h>

namespace goldentrace {
namespace {

Record record(const std::string& layer, Role role, const std::string& index, std::int32_t position = 0,
              std::int32_t call = 0) {
  Record each;
  each.id.layer = layer;
  each.id.role = role;
  each.id.index = index;
  each.id.call = call;
  each.position = position;
  return each;
}

TEST(Align, MeetsByPositionWhateverTheName) {
  const std::vector<Record> a{record("x", Role::output, "0", 0), record("x", Role::output, "1", 1)};
  const std::vector<Record> b{record("x", Role::output, "second", 1), record("x", Role::output, "first", 0)};
  const Alignment alignment = align(a, b);
  ASSERT_EQ(alignment.pairs.size(), 2U);
  EXPECT_EQ(alignment.pairs[0].b, 1);
  EXPECT_EQ(alignment.pairs[1].b, 0);
}

TEST(Align, SeparatesCallsLayersAndRoles) {
  const std::vector<Record> a{record("x", Role::output, "0", 0, 0), record("x", Role::output, "0", 0, 1)};
  const std::vector<Record> b{record("x", Role::output, "0", 0, 0), record("x", Role::input, "0"),
                              record("y", Role::output, "0")};
  const Alignment alignment = align(a, b);
  EXPECT_EQ(alignment.pairs.size(), 1U);
  EXPECT_EQ(alignment.missing, std::vector<std::int64_t>{1});
  EXPECT_EQ(alignment.extra, (std::vector<std::int64_t>{1, 2}));
}

TEST(Align, AParameterLeftOutDoesNotShiftTheOthers) {
  const std::vector<Record> a{record("x", Role::param, "w1", 0), record("x", Role::param, "b1", 1),
                              record("x", Role::param, "w2", 2)};
  const std::vector<Record> b{record("x", Role::param, "w1", 0), record("x", Role::param, "w2", 1)};
  const Alignment alignment = align(a, b);
  ASSERT_EQ(alignment.pairs.size(), 2U);
  EXPECT_EQ(alignment.pairs[1].a, 2);
  EXPECT_EQ(alignment.pairs[1].b, 1);
  EXPECT_EQ(alignment.missing, std::vector<std::int64_t>{1});
}

TEST(Align, ParametersWithoutCommonNamesMeetByPosition) {
  const std::vector<Record> a{record("x", Role::param, "weight", 0), record("x", Role::param, "bias", 1)};
  const std::vector<Record> b{record("x", Role::param, "0", 0), record("x", Role::param, "1", 1)};
  EXPECT_EQ(align(a, b).pairs.size(), 2U);
}

TEST(Align, DeclaredInputsMeetByNameAlone) {
  std::vector<Record> a{record("(root)", Role::input, "ids"), record("(root)", Role::input, "labels")};
  std::vector<Record> b{record("(root)", Role::input, "ids"), record("(root)", Role::input, "mask")};
  for (Record& each : a) each.declared = true;
  for (Record& each : b) each.declared = true;
  const Alignment alignment = align(a, b);
  EXPECT_EQ(alignment.pairs.size(), 1U);
  EXPECT_EQ(alignment.missing.size(), 1U);
  EXPECT_EQ(alignment.extra.size(), 1U);
}

TEST(Align, OpOutputsTakeNoPart) {
  const std::vector<Record> a{record("x", Role::op_output, "0.0")};
  const Alignment alignment = align(a, {});
  EXPECT_TRUE(alignment.pairs.empty());
  EXPECT_TRUE(alignment.missing.empty());
}

}  // namespace
}  // namespace goldentrace
