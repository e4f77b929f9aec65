// Padded positions left out by a mask, and one sample of two batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diff/diff.h"
#include "diff/json_report.h"
#include "diff/text_report.h"
#include "tests/diff/shape_values.h"
#include "tests/diff/two_shapes.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::floats;
using ::testing::HasSubstr;
using testing::id_of;
using testing::integers;
using testing::MemoryTrace;
using testing::TwoShapes;
using testing::Values;

Values random(const std::string& name, const Shape& shape) { return TwoShapes().value(name, shape); }

struct Garbage {
  std::int64_t sample = -1, position = -1;
};

// [b, T, h] hidden states and [b, n, T, T] probabilities; garbage adds to one position of every tensor.
void fill(MemoryTrace& trace, std::int64_t batch, const std::vector<Garbage>& garbage, float size = 1) {
  constexpr std::int64_t length = 5, hidden = 3, heads = 2;
  const auto poked = [&](Values values, bool square) {
    const std::size_t row = values.data.size() / static_cast<std::size_t>(batch);
    for (const Garbage& each : garbage) {
      for (std::size_t i = 0; i < row; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t position = square ? at / length % length : at / hidden;
        const std::int64_t column = square ? at % length : -1;
        if (position == each.position || column == each.position) {
          values.data[static_cast<std::size_t>(each.sample) * row + i] += size;
        }
      }
    }
    return values;
  };
  const auto first = [&](const std::string& name, Shape shape) {
    shape.front() = 2;
    return testing::rows_of(random(name, shape), 0, batch);
  };
  testing::Tensor ids = integers(std::vector<std::int64_t>(static_cast<std::size_t>(batch * length), 7));
  ids.shape = {batch, length};
  const auto input = trace.declare("ids", ids);
  const auto weight = trace.add(id_of("norm", Role::param, "weight"), floats({1, 1, 1}));
  const auto norm = trace.add(id_of("norm", Role::output),
                              testing::tensor(poked(first("norm", {batch, length, hidden}), false)), {input, weight});
  trace.add(id_of("probs", Role::output), testing::tensor(poked(first("probs", {batch, heads, length, length}), true)),
            {norm});
  RecordId loss = id_of("loss", Role::loss);
  trace.add(loss, testing::scalar(batch == 2 ? 1.5F : 1.25F));
}

Report compare(const std::vector<Garbage>& garbage, const PositionChoice& positions) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, 2, {});
  fill(b, 2, garbage);
  DiffOptions options;
  options.positions = positions;
  return diff(a.view(), b.view(), options);
}

PositionChoice padded() {
  PositionChoice positions;
  positions.mask = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
  positions.shape = {2, 5};
  positions.name = "mask.npy";
  return positions;
}

TEST(Positions, PaddedOnesAreLeftOutByAMask) {
  const std::vector<Garbage> pads{{1, 3}, {1, 4}};
  const Report without = compare(pads, {});
  EXPECT_EQ(without.verdict, Verdict::diverged);
  EXPECT_EQ(without.roots.front().pair.id.layer, "norm");
  EXPECT_THAT(to_text(without), HasSubstr("only positions 3 to 4 of sample 1: padding"));
  const Report with = compare(pads, padded());
  EXPECT_EQ(with.verdict, Verdict::same) << to_text(with);
  EXPECT_THAT(to_text(with), HasSubstr("mask mask.npy: 8 of 10 positions compared"));
}

TEST(Positions, AFaultAtAValidOneIsFoundWithTheMask) {
  const Report report = compare({{1, 3}, {1, 4}, {1, 2}}, padded());
  ASSERT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.roots.front().pair.id.layer, "norm");
  EXPECT_EQ(report.roots.front().pair.form_a, "8 of 10 positions");
  EXPECT_EQ(report.roots.front().pair.judgement.comparison.max_abs_index / 3, 7);
}

TEST(Positions, AMaskThatFitsNothingIsRefused) {
  PositionChoice positions = padded();
  positions.shape = {5, 2};
  EXPECT_THROW(compare({}, positions), Error);
}

TEST(Positions, OneSampleOfTwoBatchesIsCompared) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, 1, {});
  fill(b, 2, {{1, 2}});
  const Report whole = diff(a.view(), b.view());
  EXPECT_EQ(whole.verdict, Verdict::incomparable);
  EXPECT_THAT(whole.reason, HasSubstr("shape [1, 5] | [2, 5]"));
  DiffOptions options;
  options.positions.sample = {0, 0};
  const Report report = diff(a.view(), b.view(), options);
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_EQ(report.compared, 4);
  EXPECT_THAT(to_text(report), HasSubstr("A loss: it depends on the whole batch"));
  EXPECT_THAT(to_json(report), HasSubstr("it depends on the whole batch"));
  options.positions.sample = {0, 1};
  EXPECT_EQ(diff(a.view(), b.view(), options).verdict, Verdict::diverged);
  options.positions.sample = {1, 1};
  EXPECT_THROW(diff(a.view(), b.view(), options), Error);
}

TEST(Positions, TheFirstRecordThatIsNotBitEqualIsNamed) {
  MemoryTrace a;
  MemoryTrace b;
  fill(a, 1, {});
  fill(b, 2, {{0, 2}}, 1e-7F);
  DiffOptions options;
  options.positions.sample = {0, 0};
  const Report report = diff(a.view(), b.view(), options);
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  ASSERT_TRUE(report.first_unequal);
  EXPECT_EQ(report.first_unequal->layer, "norm");
}

TEST(Positions, WorkOnTopOfARelation) {
  const TwoShapes shapes;
  DiffOptions options;
  options.gate.kind = GateKind::bitwise;
  options.positions.sample = {1, 1};
  const Report report = diff(shapes.a.view(), shapes.b.view(), options);
  EXPECT_EQ(report.verdict, Verdict::same) << to_text(report);
  EXPECT_GT(report.compared, 100);
}

}  // namespace
}  // namespace goldentrace
