// B09: tensors that change from run to run are judged by how much they do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "diff/diff.h"
#include "diff/text_report.h"
#include "tests/diff/memory_trace.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::Contains;
using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::MemoryTrace;

float ulps(float value, int count) { return std::bit_cast<float>(std::bit_cast<std::int32_t>(value) + count); }

// The gradient of an embedding that atomic additions make, and one that is always the same.
class CaseB09 : public ::testing::Test {
 protected:
  static void fill(MemoryTrace& trace, const std::vector<int>& jitter, int steady = 0) {
    const std::vector<float> gradient{0.5F, 0.25F, -0.75F, 1.25F, -0.375F, 0.875F};
    std::vector<float> jittered;
    for (std::size_t i = 0; i < gradient.size(); ++i) jittered.push_back(ulps(gradient[i], jitter[i]));
    const auto input = trace.declare("ids", testing::integers({1, 2, 3}));
    trace.add(id_of("embedding.word", Role::param_grad, "weight", Pass::backward), floats(jittered, {3, 2}), {input});
    trace.add(id_of("head", Role::param_grad, "weight", Pass::backward), floats({ulps(1, steady), 2}), {input});
  }

  Report compared(const std::vector<int>& jitter, int steady = 0, bool with_repeats = true,
                  const DiffOptions& base = {}) const {
    MemoryTrace golden, first, second, third, candidate;
    fill(golden, {0, 0, 0, 0, 0, 0});
    fill(first, {2, -1, 0, 1, -2, 2});
    fill(second, {-2, 1, 2, -1, 1, 0});
    fill(third, {1, -2, -2, 2, 0, -1});
    fill(candidate, jitter, steady);
    DiffOptions options = base;
    if (with_repeats) options.repeats = {first.view(), second.view(), third.view()};
    return diff(golden.view(), candidate.view(), options);
  }
};

TEST_F(CaseB09, ACandidateInsideTheJitterIsTheSame) {
  const Report report = compared({2, -2, 1, 2, -1, -2});
  EXPECT_EQ(exit_code(report), 0) << to_text(report);
  EXPECT_THAT(report.notes, Contains(HasSubstr("1 record of the golden with a noise band of 3 repeats")));
  EXPECT_THAT(to_text(report), HasSubstr("noise band of 3 repeats: allclose rtol 0 atol 7.152557373046875e-07"));
}

TEST_F(CaseB09, ACandidateFarOutsideIsNot) {
  const Report report = compared({50, 50, 50, 50, 50, 50});
  EXPECT_EQ(exit_code(report), 1);
  ASSERT_EQ(report.roots.size(), 1U);
  EXPECT_EQ(describe(report.roots.front().pair.id),
            "step 0 · micro 0 · rank 0 · backward · embedding.word · param_grad weight");
  EXPECT_THAT(report.roots.front().pair.gate, HasSubstr("noise band of 3 repeats"));
}

TEST_F(CaseB09, TheBandIsThatOfItsTensorAlone) {
  DiffOptions bitwise;
  bitwise.gate.kind = GateKind::bitwise;
  EXPECT_EQ(exit_code(compared({2, -2, 1, 2, -1, -2}, 0, true, bitwise)), 0);
  EXPECT_EQ(exit_code(compared({2, -2, 1, 2, -1, -2}, 1, true, bitwise)), 1);
}

TEST_F(CaseB09, WithoutRepeatsTheGateDecides) {
  const Report report = compared({50, 50, 50, 50, 50, 50}, 0, false);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_THAT(to_text(report), HasSubstr("gate rel,"));
}

TEST_F(CaseB09, ARunThatWasFedOtherDataIsNoRepeat) {
  MemoryTrace golden, other;
  fill(golden, {0, 0, 0, 0, 0, 0});
  other.declare("ids", testing::integers({3, 2, 1}));
  DiffOptions options;
  options.repeats = {other.view()};
  EXPECT_THROW(diff(golden.view(), golden.view(), options), Error);
}

}  // namespace
}  // namespace goldentrace
