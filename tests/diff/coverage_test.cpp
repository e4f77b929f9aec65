// Missing and extra records are counted and never pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"

namespace goldentrace {
namespace {

using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using ::testing::IsEmpty;
using testing::MemoryTrace;
using ::testing::SizeIs;

TEST(Coverage, MissingAndExtraAreBothReasons) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("x", Role::output), floats({1}));
  a.add(id_of("y", Role::output), floats({1}));
  b.add(id_of("z", Role::output), floats({1}));
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_EQ(report.reason, "missing: 1, extra: 1");
  EXPECT_THAT(report.roots, IsEmpty());
  EXPECT_EQ(report.missing.at(0).layer, "y");
  EXPECT_EQ(report.extra.at(0).layer, "z");
}

TEST(Coverage, AnInputHandedOnIsComparedAsThatInput) {
  for (const float value : {1.0F, 2.0F}) {
    MemoryTrace a;
    MemoryTrace b;
    const auto made = a.add(id_of("w", Role::output), floats({1}));
    const auto input = a.add(id_of("x", Role::input), floats({1}), {made});
    const auto passed = a.add(id_of("x", Role::output), floats({1}), {input});
    a.add(id_of("y", Role::output), floats({3}), {passed});
    b.add(id_of("w", Role::output), floats({value}));
    b.add(id_of("x", Role::input), floats({value}), {0});
    b.add(id_of("y", Role::output), floats({value + 2}), {1});
    const Report report = diff(a.view(), b.view());
    EXPECT_THAT(report.missing, IsEmpty());
    ASSERT_THAT(report.passed_through, SizeIs(1));
    EXPECT_EQ(report.passed_through[0].role, Role::output);
    EXPECT_EQ(report.verdict, value == 1 ? Verdict::same : Verdict::diverged) << report.reason;
    EXPECT_THAT(report.roots, SizeIs(value == 1 ? 0 : 1)) << "y follows from w through what was handed on";
    EXPECT_THAT(to_text(report), HasSubstr("passed through"));
  }
}

// Of so many pairs only what the gate asks for is kept; the reported ones are read again.
TEST(Coverage, ReportedPairsHaveAllMetricsHoweverManyThereAre) {
  constexpr int count = 10001;
  MemoryTrace a;
  MemoryTrace b;
  for (int i = 0; i < count; ++i) {
    a.add(id_of("x" + std::to_string(i), Role::output), floats({1, 2}));
    b.add(id_of("x" + std::to_string(i), Role::output), floats({1, i == 77 ? 3 : 2.00001F}));
  }
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(report.within_gate, count - 1);
  ASSERT_THAT(report.roots, SizeIs(1));
  EXPECT_EQ(report.roots[0].pair.id.layer, "x77");
  EXPECT_GT(report.roots[0].pair.judgement.comparison.max_ulp, 0U);
  ASSERT_THAT(report.closest, SizeIs(10));
  EXPECT_THAT(report.closest[0].judgement.text, HasSubstr("of the gate used"));
  EXPECT_GT(report.closest[0].judgement.comparison.max_ulp, 0U);
  EXPECT_LT(a.payloads_read, count + 20);

  a.payloads_read = 0;
  DiffOptions whole_lists;
  whole_lists.limit = 100000;
  EXPECT_THAT(diff(a.view(), b.view(), whole_lists).closest, SizeIs(count - 1));
  EXPECT_LT(a.payloads_read, count + 20) << "nothing is read twice";
}

TEST(Coverage, OtherStepsMicrosAndRanksAreMissing) {
  for (const int field : {0, 1, 2}) {
    MemoryTrace a;
    MemoryTrace b;
    for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("x", Role::output), floats({1}));
    RecordId id = id_of("x", Role::output);
    if (field == 0) id.step = 1;
    if (field == 1) id.micro = 1;
    if (field == 2) id.rank = 1;
    a.add(id, floats({1}));
    EXPECT_EQ(diff(a.view(), b.view()).reason, "missing: 1");
    EXPECT_EQ(diff(b.view(), a.view()).reason, "extra: 1");
  }
}

TEST(Coverage, ADivergenceIsNamedBesideMissingRecords) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("x", Role::output), floats({trace == &a ? 1.0F : 2.0F}));
  a.add(id_of("y", Role::output), floats({1}));
  const Report report = diff(a.view(), b.view());
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.reason, HasSubstr("first divergence"));
  EXPECT_THAT(report.missing, SizeIs(1));
}

TEST(Coverage, TheCertifiedPrefixEndsAtAMissingRecord) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("x", Role::output), floats({1}));
  a.add(id_of("y", Role::output), floats({1}));
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("z", Role::output), floats({1}));
  EXPECT_EQ(diff(a.view(), b.view()).certified_prefix, 1);
}

TEST(Coverage, OpValuesRecordedOnOneSideAreNotMissing) {
  MemoryTrace a;
  MemoryTrace b;
  for (MemoryTrace* trace : {&a, &b}) trace->add(id_of("x", Role::output), floats({1}));
  a.add(id_of("x", Role::op_output, "0.0"), floats({1}));
  EXPECT_EQ(exit_code(diff(a.view(), b.view())), 0);
}

}  // namespace
}  // namespace goldentrace
