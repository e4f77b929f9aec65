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

Record hashed(Record record, std::uint64_t content, std::vector<std::int64_t> producers = {}) {
  record.fingerprint.hash = {content, content};
  record.producers = std::move(producers);
  return record;
}

// A makes scores of query and key in a layer of its own, B all at once.
std::vector<Record> in_steps() {
  return {hashed(record("q", Role::output, "0"), 1),
          hashed(record("k", Role::output, "0"), 2),
          hashed(record("v", Role::output, "0"), 3),
          hashed(record("scores", Role::output, "0"), 4, {0, 1}),
          hashed(record("context", Role::input, "0", 0), 4, {3}),
          hashed(record("context", Role::input, "1", 1), 3, {2}),
          hashed(record("context", Role::grad_input, "0", 0), 5),
          hashed(record("context", Role::grad_input, "1", 1), 6)};
}

std::vector<Record> at_once(std::uint64_t content_of_value) {
  return {hashed(record("q", Role::output, "0"), 1),
          hashed(record("k", Role::output, "0"), 2),
          hashed(record("v", Role::output, "0"), content_of_value),
          hashed(record("context", Role::input, "0", 0), 1, {0}),
          hashed(record("context", Role::input, "1", 1), 2, {1}),
          hashed(record("context", Role::input, "2", 2), content_of_value, {2}),
          hashed(record("context", Role::grad_input, "0", 0), 7),
          hashed(record("context", Role::grad_input, "2", 2), 6)};
}

void set_backward(std::vector<Record>& records) {
  for (Record& each : records)
    if (each.id.role == Role::grad_input) each.id.pass = Pass::backward;
}

TEST(Align, UnevenInputsMeetByContentAndByWhatMadeThem) {
  for (const std::uint64_t content : {3, 30}) {
    std::vector<Record> a = in_steps(), b = at_once(content);
    set_backward(a);
    set_backward(b);
    const Alignment alignment = align(a, b);
    std::vector<std::int64_t> partners(a.size(), -1);
    for (const RecordPair& pair : alignment.pairs) partners[static_cast<std::size_t>(pair.a)] = pair.b;
    EXPECT_EQ(partners, (std::vector<std::int64_t>{0, 1, 2, -1, -1, 5, -1, 7})) << content;
    EXPECT_EQ(alignment.missing, (std::vector<std::int64_t>{3, 4, 6}));
    EXPECT_EQ(alignment.extra, (std::vector<std::int64_t>{3, 4, 6}));
  }
}

TEST(Align, UnevenInputsOfUnknownOriginMeetByPosition) {
  const std::vector<Record> a{hashed(record("x", Role::input, "0", 0), 1), hashed(record("x", Role::input, "1", 1), 2)};
  const std::vector<Record> b{hashed(record("x", Role::input, "0", 0), 3)};
  const Alignment alignment = align(a, b);
  ASSERT_EQ(alignment.pairs.size(), 1U);
  EXPECT_EQ(alignment.pairs[0].a, 0);
  EXPECT_EQ(alignment.missing, std::vector<std::int64_t>{1});
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

Record with_content(Record each, std::uint64_t content) {
  each.fingerprint.hash.low = content;
  return each;
}

// `to` of a dtype that the tensor has already hands its input on; with another one it makes a new tensor.
TEST(Align, AnInputHandedOnByOneSideOnlyIsNotMissing) {
  const std::vector<Record> short_side{with_content(record("x", Role::input, "0"), 7),
                                       with_content(record("x", Role::output, "0"), 8)};
  for (const std::int32_t place : {0, 1}) {
    std::vector<Record> long_side = short_side;
    long_side.insert(long_side.begin() + 1 + place, with_content(record("x", Role::output, "passed"), 7));
    long_side[1].position = 0;
    long_side[2].position = 1;
    const Alignment alignment = align(long_side, short_side);
    EXPECT_EQ(alignment.pairs.size(), 2U);
    EXPECT_EQ(alignment.pairs[1].a, 2 - place) << "the output that was made";
    EXPECT_TRUE(alignment.missing.empty());
    ASSERT_EQ(alignment.passed_through.size(), 1U);
    EXPECT_EQ(alignment.passed_through[0].side, Side::a);
    EXPECT_EQ(alignment.passed_through[0].row, 1 + place);
    EXPECT_EQ(alignment.passed_through[0].input, 0);
    EXPECT_EQ(align(short_side, long_side).passed_through.at(0).side, Side::b);
  }
}

TEST(Align, AnOutputOfOtherContentOrWithoutAPairedInputIsMissing) {
  const std::vector<Record> b{with_content(record("x", Role::input, "0"), 7)};
  for (const std::uint64_t content : {7, 8}) {
    const std::vector<Record> a{with_content(record("x", Role::input, "0"), 7),
                                with_content(record("x", Role::output, "0"), content)};
    EXPECT_EQ(align(a, b).missing.size(), content == 7 ? 0U : 1U);
    EXPECT_EQ(align(a, {}).missing.size(), 2U);
    std::vector<Record> reshaped = a;
    reshaped[1].shape = {1};
    EXPECT_EQ(align(reshaped, b).missing.size(), 1U);
  }
}

TEST(Align, OpOutputsTakeNoPart) {
  const std::vector<Record> a{record("x", Role::op_output, "0.0")};
  const Alignment alignment = align(a, {});
  EXPECT_TRUE(alignment.pairs.empty());
  EXPECT_TRUE(alignment.missing.empty());
  EXPECT_TRUE(align(a, a).pairs.empty());
}

TEST(Align, TwoRunsOfOneProgramMeetRowByRow) {
  const std::vector<Record> a{record("x", Role::input, "0"), record("x", Role::op_output, "0.0"),
                              record("x", Role::output, "0")};
  const Alignment alignment = align(a, a);
  ASSERT_EQ(alignment.pairs.size(), 2U);
  EXPECT_EQ(alignment.pairs[1].a, 2);
  EXPECT_EQ(alignment.pairs[1].b, 2);
}

}  // namespace
}  // namespace goldentrace
