// Permuted rows of fused weights, named by what was read as what.
#include "diff/row_order.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

namespace goldentrace {
namespace {

using Order = std::vector<std::size_t>;
using Shape = std::vector<std::int64_t>;

// A matrix of different rows, two columns each, and the same with its rows in another order.
struct Pair {
  explicit Pair(const Order& order)
      : a(order.size() * 2), b(a.size()), shape{static_cast<std::int64_t>(order.size()), 2} {
    std::iota(a.begin(), a.end(), 1.0F);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t k = 0; k < 2; ++k) b[i * 2 + k] = a[order[i] * 2 + k];
  }

  std::string name(const std::string& layer = "attention") const {
    return row_order(view(a), view(b), layer).value_or("none");
  }
  TensorView view(const std::vector<float>& values) const {
    return {DType::float32, shape, std::as_bytes(std::span(values))};
  }

  std::vector<float> a, b;
  Shape shape;
};

constexpr const char* permuted = "same values, permuted rows";

// Two heads of two rows; thirds are rows q0 q0 q1 q1 k0 k0 k1 k1 v0 v0 v1 v1.
TEST(RowOrder, NamesVersionsOfQueryKeyValue) {
  EXPECT_EQ(Pair({0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11}).name(),
            std::string(permuted) + ": QKV order, v2 layout read as v0");
  EXPECT_EQ(Pair({0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}).name(),
            std::string(permuted) + ": QKV order, v0 layout read as v2");
  EXPECT_EQ(Pair({0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}).name(),
            std::string(permuted) + ": QKV order, v1 layout read as v0");
}

TEST(RowOrder, NamesPartsThatAreExchanged) {
  EXPECT_EQ(Pair({4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11}).name(), std::string(permuted) + ": query and key exchanged");
  EXPECT_EQ(Pair({0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7}).name(), std::string(permuted) + ": key and value exchanged");
  // Within each of two heads.
  EXPECT_EQ(Pair({2, 3, 0, 1, 4, 5, 8, 9, 6, 7, 10, 11}).name(), std::string(permuted) + ": query and key exchanged");
}

TEST(RowOrder, NamesGroupsOfQueries) {
  EXPECT_EQ(Pair({0, 1, 4, 6, 2, 3, 5, 7}).name(),
            std::string(permuted) + ": GQA groups (2 groups of 2) read as all queries, all keys, all values");
  EXPECT_EQ(Pair({0, 1, 4, 5, 2, 6, 3, 7}).name(),
            std::string(permuted) + ": all queries, all keys, all values read as GQA groups (2 groups of 2)");
}

TEST(RowOrder, NamesShardsOfTheGatedMlp) {
  EXPECT_EQ(Pair({0, 1, 4, 5, 2, 3, 6, 7}).name("layers.0.mlp.dense_h_to_4h"),
            std::string(permuted) + ": TP merge order of the gated MLP (2 shards)");
}

TEST(RowOrder, OtherPermutationsHaveNoName) {
  EXPECT_EQ(Pair({1, 0, 2, 3, 4}).name(), permuted);
  EXPECT_EQ(Pair({2, 1, 0}).name("mlp"), permuted);
}

TEST(RowOrder, ColumnsCountAsWell) {
  Pair pair({0, 1, 2, 3, 4, 5});
  pair.shape = {1, 12};
  pair.b = {1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, 12};
  EXPECT_EQ(pair.name(), std::string(permuted) + " (here columns): QKV order, v2 layout read as v0");
}

TEST(RowOrder, IsSilentWhereValuesDiffer) {
  Pair pair({0, 1, 4, 5, 2, 3});
  pair.b[3] += 1;
  EXPECT_EQ(pair.name(), "none");
  EXPECT_EQ(Pair({0, 1, 2, 3}).name(), "none") << "equal";
  pair.shape = {0, 2};
  EXPECT_FALSE(row_order({DType::float32, pair.shape, {}}, {DType::float32, pair.shape, {}}, "x"));
}

}  // namespace
}  // namespace goldentrace
