#include "checkpoints/matrix.h"

#include <gmock/gmock.h>

#include <deque>
#include <numeric>

#include "checkpoints/row_orders.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// Element (r, c) of a rows x columns table is 10 r + c.
class MatrixTest : public ::testing::Test {
 protected:
  Matrix table(std::int64_t rows, std::int64_t columns, std::int16_t start = 0) {
    auto& values = kept_.emplace_back();
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) values.push_back(static_cast<std::int16_t>(start + 10 * r + c));
    return matrix_of({.dtype = DType::int16,
                      .shape = {rows, columns},
                      .strides = {columns, 1},
                      .data = reinterpret_cast<const std::byte*>(values.data())});
  }
  static std::vector<std::int16_t> values(const Matrix& matrix) {
    std::vector<std::int16_t> all;
    stream_elements(matrix, [&](std::span<const std::byte> bytes) {
      const auto* const first = reinterpret_cast<const std::int16_t*>(bytes.data());
      all.insert(all.end(), first, first + bytes.size() / 2);
    });
    return all;
  }
  // Rows of a one-column table of their own numbers, taken by the runs.
  std::vector<std::int16_t> rows(std::int64_t count, const RowRuns& runs) {
    auto& numbers = kept_.emplace_back(count);
    std::iota(numbers.begin(), numbers.end(), std::int16_t{0});
    const Matrix matrix = matrix_of({.dtype = DType::int16,
                                     .shape = {count},
                                     .strides = {1},
                                     .data = reinterpret_cast<const std::byte*>(numbers.data())});
    return values(gather_rows(matrix, runs));
  }

 private:
  std::deque<std::vector<std::int16_t>> kept_;
};

TEST_F(MatrixTest, GathersRunsStepsAndRepeats) {
  const RowRuns runs{{2, 2}, {0, 2, 3}, {1, 3, 0}, {0, 0}};
  EXPECT_THAT(values(gather_rows(table(4, 1), runs)), ElementsAre(20, 30, 0, 30, 10, 10, 10));
  const RowRun outside{3, 2};
  EXPECT_THROW(gather_rows(table(4, 1), {&outside, 1}), Error);
}

TEST_F(MatrixTest, StacksCutsAndTransposes) {
  const std::vector<Matrix> parts{table(2, 2), table(2, 2, 100)};
  EXPECT_THAT(values(stack_rows(parts)), ElementsAre(0, 1, 10, 11, 100, 101, 110, 111));
  const Matrix wide = stack_columns(parts);
  EXPECT_THAT(values(wide), ElementsAre(0, 1, 100, 101, 10, 11, 110, 111));
  EXPECT_THAT(values(cut_columns(wide, 1, 2)), ElementsAre(1, 100, 11, 110));
  EXPECT_THAT(values(transposed(wide)), ElementsAre(0, 10, 1, 11, 100, 110, 101, 111));
  const RowRuns swapped{{1, 1}, {0, 1}};
  EXPECT_THAT(values(transposed(gather_rows(wide, swapped))), ElementsAre(10, 0, 11, 1, 110, 100, 111, 101));
  EXPECT_THAT(values(gather_rows(transposed(wide), swapped)), ElementsAre(1, 11, 0, 10));
}

TEST_F(MatrixTest, LargeTransposesAgreeElementByElement) {
  const std::int64_t height = 67, width = 45;
  std::vector<std::int16_t> wanted;
  for (std::int64_t c = 0; c < width; ++c)
    for (std::int64_t r = 0; r < height; ++r) wanted.push_back(static_cast<std::int16_t>(10 * r + c));
  EXPECT_THAT(values(transposed(table(height, width))), ElementsAreArray(wanted));
}

TEST_F(MatrixTest, EqualElementsSeesShapeAndBits) {
  EXPECT_TRUE(equal_elements(table(3, 2), table(3, 2)));
  EXPECT_FALSE(equal_elements(table(3, 2), table(3, 2, 1)));
  EXPECT_FALSE(equal_elements(table(3, 2), table(2, 2)));
}

// The numbers of cases.md A01: two heads of two.
const GptShape two_heads{.hidden = 4, .heads = 2, .groups = 2, .ffn = 4, .vocab = 11};

TEST_F(MatrixTest, ThirdsOfTwoHeads) {
  EXPECT_THAT(rows(12, to_thirds(two_heads)), ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
  EXPECT_THAT(rows(12, from_thirds(two_heads)), ElementsAre(0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11));
}

TEST_F(MatrixTest, RowOrdersOfTheVersions) {
  EXPECT_THAT(rows(12, merge_query_key_value(two_heads, 0, 1)), ElementsAre(0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11));
  EXPECT_THAT(rows(12, merge_query_key_value(two_heads, 1, 1)), ElementsAre(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11));
  EXPECT_THAT(rows(12, merge_query_key_value(two_heads, 0, 2)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(rows(12, split_query_key_value(two_heads, 1, 2, 1)), ElementsAre(6, 8, 10, 7, 9, 11));
}

TEST_F(MatrixTest, SplittingAndMergingAreInverse) {
  const GptShape shape{.hidden = 24, .heads = 8, .groups = 8, .ffn = 16, .glu = "swiglu"};
  for (const int version : {0, 1, 2, 3})
    for (const std::int64_t ranks : {1, 2, 4, 8}) {
      RowRuns all;
      for (std::int64_t rank = 0; rank < ranks; ++rank)
        for (const RowRun& run : split_query_key_value(shape, version, ranks, rank)) all.push_back(run);
      const std::vector<std::int16_t> stored = rows(72, all);
      std::vector<std::int16_t> merged;
      for (const std::int16_t row : rows(72, merge_query_key_value(shape, version, ranks)))
        merged.push_back(stored[row]);
      for (std::int16_t i = 0; i < 72; ++i) EXPECT_EQ(merged[i], i) << version << " " << ranks;
    }
}

// cases.md A08: 4 query heads, 2 groups, head size 1: stored q0 q1 k0 v0 q2 q3 k1 v1.
TEST_F(MatrixTest, GroupsAreRepeatedForTheirQueries) {
  const GptShape shape{.hidden = 4, .heads = 4, .groups = 2};
  EXPECT_THAT(rows(8, to_thirds(shape)), ElementsAre(0, 1, 4, 5, 2, 2, 6, 6, 3, 3, 7, 7));
  EXPECT_THAT(rows(12, from_thirds(shape)), ElementsAre(0, 1, 4, 8, 2, 3, 6, 10));
}

// cases.md A10: ffn 4, two ranks, each [gate; up].
TEST_F(MatrixTest, GatedHalvesAreSeparatedBeforeTheyAreJoined) {
  GptShape shape = two_heads;
  shape.glu = "swiglu";
  EXPECT_THAT(rows(8, merge_mlp(shape, 2)), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(rows(8, split_mlp(shape, 2, 1)), ElementsAre(2, 3, 6, 7));
}

TEST_F(MatrixTest, VocabularyIsPaddedWithItsLastRow) {
  EXPECT_EQ(padded_vocabulary(50257, 128), 50304);
  EXPECT_EQ(padded_vocabulary(50257, 256), 50432);
  EXPECT_EQ(padded_vocabulary(50257, 512), 50688);
  EXPECT_THAT(rows(5, split_vocabulary(5, 12, 3, 0)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(rows(5, split_vocabulary(5, 12, 3, 1)), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(rows(5, split_vocabulary(5, 12, 3, 2)), ElementsAre(4, 4, 4, 4));
}

}  // namespace
}  // namespace goldentrace
