#include "kernels/sketch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>

#include "kernels/fingerprint.h"
#include "tests/kernels/tensors.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;
using Values = std::vector<float>;

Sketch sketch_of(const Values& values) { return fingerprint(bytes_of(values), DType::float32).sketch; }

// The definition is part of the file format: these numbers never change.
TEST(Sketch, DefinitionIsFixed) {
  EXPECT_EQ(splitmix64(0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(sketch_signs(0), splitmix64(0x676F6C64656E7369));
  const std::uint64_t indexes[] = {0, 1, 63, 64, 255, 256, 1000, 123456789, 5000000000};
  std::vector<double> signs;
  std::vector<std::uint64_t> buckets, buckets_of_100;
  for (const std::uint64_t index : indexes) {
    signs.push_back(sketch_sign(index));
    buckets.push_back(sketch_bucket(index, 256));
    buckets_of_100.push_back(sketch_bucket(index, 100));
  }
  EXPECT_EQ(signs, (std::vector<double>{1, -1, -1, -1, 1, 1, 1, -1, 1}));
  EXPECT_EQ(buckets, (std::vector<std::uint64_t>{186, 187, 249, 250, 185, 107, 68, 180, 233}));
  EXPECT_EQ(buckets_of_100, (std::vector<std::uint64_t>{73, 74, 36, 37, 21, 22, 42, 87, 20}));
}

TEST(Sketch, EachBlockFillsEachBucketOnce) {
  for (const std::uint64_t m : {1, 7, 256}) {
    for (std::uint64_t block : {0, 1, 12345}) {
      std::set<std::uint64_t> buckets;
      for (std::uint64_t i = 0; i < m; ++i) buckets.insert(sketch_bucket(block * m + i, m));
      EXPECT_EQ(buckets.size(), m);
      EXPECT_LT(*buckets.rbegin(), m);
    }
  }
}

TEST(Sketch, PartsAddUpToTheSum) {
  const Values a = normal_floats(10000, 1), b = normal_floats(10000, 2);
  Values sum(a.size());
  // Multiples of 2^-10 below 2^10: every addition is exact.
  Values exact_a(a.size()), exact_b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    exact_a[i] = std::round(a[i] * 1024) / 1024;
    exact_b[i] = std::round(b[i] * 1024) / 1024;
    sum[i] = exact_a[i] + exact_b[i];
  }
  const Sketch of_a = sketch_of(exact_a), of_b = sketch_of(exact_b), of_sum = sketch_of(sum);
  for (std::size_t i = 0; i < of_sum.size(); ++i) EXPECT_EQ(of_a[i] + of_b[i], of_sum[i]);
}

TEST(Sketch, ScalesWithTheTensor) {
  Values a = normal_floats(5000, 3);
  const Sketch before = sketch_of(a);
  for (float& value : a) value *= -4;
  const Sketch after = sketch_of(a);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i] * -4, after[i]);
}

TEST(Sketch, DistanceOfEqualAndEmpty) {
  EXPECT_EQ(sketch_distance({}, {}), 0);
  EXPECT_EQ(sketch_distance({1, 2}, {1, 2}), 0);
  EXPECT_DOUBLE_EQ(sketch_distance({0, 0}, {3, 4}), 5);
  EXPECT_DOUBLE_EQ(sketch_distance({3e300, 0}, {0, 4e300}), 5e300);
  EXPECT_EQ(sketch_distance({NAN, 1, INFINITY}, {NAN, 1, INFINITY}), 0);
  EXPECT_DOUBLE_EQ(sketch_distance({NAN, 1}, {5, 3}), 2);
  EXPECT_THROW(sketch_distance({1}, {1, 2}), std::logic_error);
}

// How far estimates of |a - b| lie from the truth, over many tensors.
struct Spread {
  double bias = 0;
  double deviation = 0;
  double worst = 0;
};

using Change = std::function<void(Values&, std::uint64_t seed)>;

Spread spread_of(const Change& change, std::size_t rows, std::size_t columns) {
  constexpr int trials = 150;
  Spread spread;
  double squares = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Values a = normal_floats(rows * columns, 1000 + trial);
    Values b = a;
    change(b, trial);
    double truth = 0;
    for (std::size_t i = 0; i < a.size(); ++i) truth += std::pow(double{b[i]} - a[i], 2);
    const double error = sketch_distance(sketch_of(a), sketch_of(b)) / std::sqrt(truth) - 1;
    spread.bias += error / trials;
    squares += error * error;
    spread.worst = std::max(spread.worst, std::abs(error));
  }
  spread.deviation = std::sqrt(squares / trials);
  return spread;
}

constexpr std::size_t rows = 32, columns = 768, heads = 12;

// 1 / sqrt(2 m) = 4.4 % is the theory for m = 256.
void expect_usual_spread(const Spread& spread) {
  EXPECT_GT(spread.deviation, 0.035);
  EXPECT_LT(spread.deviation, 0.055);
  EXPECT_LT(std::abs(spread.bias), 0.012);
  EXPECT_LT(spread.worst, 0.18);  // four deviations: what gates allow for
}

TEST(SketchSpread, Noise) {
  expect_usual_spread(spread_of(
      [](Values& values, std::uint64_t seed) {
        const Values noise = normal_floats(values.size(), seed, 1e-4);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += noise[i];
      },
      rows, columns));
}

TEST(SketchSpread, OneChannel) {
  expect_usual_spread(spread_of(
      [](Values& values, std::uint64_t seed) {
        for (std::size_t row = 0; row < values.size() / columns; ++row) values[row * columns + seed % columns] *= 1.5f;
      },
      2 * rows, columns));
}

TEST(SketchSpread, OneRow) {
  expect_usual_spread(spread_of(
      [](Values& values, std::uint64_t seed) {
        for (std::size_t i = 0; i < columns; ++i) values[seed % rows * columns + i] += 0.25f;
      },
      rows, columns));
}

TEST(SketchSpread, OneElementIsExact) {
  const Spread spread = spread_of([](Values& values, std::uint64_t seed) { values[seed * 97] += 1; }, rows, columns);
  EXPECT_LT(spread.worst, 1e-9);
}

TEST(SketchSpread, SwappedHeads) {
  expect_usual_spread(spread_of(
      [](Values& values, std::uint64_t seed) {
        constexpr std::size_t width = columns / heads;
        const std::size_t one = seed % heads, other = (seed + 1 + seed / heads % (heads - 1)) % heads;
        for (std::size_t row = 0; row < rows; ++row) {
          for (std::size_t i = 0; i < width; ++i) {
            std::swap(values[row * columns + one * width + i], values[row * columns + other * width + i]);
          }
        }
      },
      rows, columns));
}

TEST(SketchSpread, UniformScale) {
  expect_usual_spread(spread_of(
      [](Values& values, std::uint64_t) {
        for (float& value : values) value *= 1.01f;
      },
      rows, columns));
}

}  // namespace
}  // namespace goldentrace
