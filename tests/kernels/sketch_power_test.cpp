// How well sketches estimate the relative error of recorded tensors, and how often the rule of the gate is fooled.
// Prints the Markdown rows of bench/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "diff/fingerprint_judge.h"
#include "kernels/fingerprint.h"
#include "kernels/sketch.h"
#include "tests/kernels/tensor_faults.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;

constexpr std::size_t tensor_count = 200;
constexpr double gate_of_float32 = 1e-5;
constexpr double least_spread = 64;

const std::vector<TensorSample>& tensors() {
  static const std::vector<TensorSample> all = recorded_tensors(tensor_count);
  return all;
}

Record record_of(const TensorSample& tensor, const std::vector<float>& values) {
  Record record;
  const auto columns = static_cast<std::int64_t>(tensor.columns);
  record.shape = {static_cast<std::int64_t>(values.size()) / columns, columns};
  record.fingerprint = fingerprint(std::as_bytes(std::span(values)), DType::float32);
  for (double& sum : record.fingerprint.sketch) sum = static_cast<float>(sum);  // as a trace keeps it
  return record;
}

// A tensor and what became of it.
struct Pair {
  Record golden, candidate;
  double truth;  // relative Frobenius error

  double estimate() const {
    return sketch_distance(golden.fingerprint.sketch, candidate.fingerprint.sketch) / golden.fingerprint.statistics.l2;
  }
  bool judged_same() const {
    return judge_fingerprints(golden, golden.fingerprint.sketch, candidate, candidate.fingerprint.sketch, {}).passes();
  }
};

// The errors are scaled to `relative` of the tensor's norm; rounding to float32 moves the truth a little.
Pair pair_with(const TensorSample& tensor, const Errors& errors, double relative) {
  std::vector<float> changed = tensor.values;
  double squares = 0, difference = 0;
  for (const float value : tensor.values) squares += double{value} * value;
  const double factor = relative * std::sqrt(squares) / norm(errors);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    changed[i] = static_cast<float>(tensor.values[i] + factor * errors[i]);
    difference += std::pow(double{changed[i]} - tensor.values[i], 2);
  }
  return {record_of(tensor, tensor.values), record_of(tensor, changed), std::sqrt(difference / squares)};
}

bool is_spread_or_in_one_block(const Fault& fault, const Errors& errors) {
  return &fault == &faults.back() ? norm(errors) > 0 : spread(errors) >= least_spread;
}

TEST(SketchPower, EstimatesAreWithin15PercentFor99Percent) {
  Random random(1);
  std::size_t all = 0, all_within = 0;
  std::printf("| fault | pairs | within 15 %% | median deviation | largest |\n|---|---|---|---|---|\n");
  for (const Fault& fault : faults) {
    std::vector<double> deviations;
    for (const TensorSample& tensor : tensors()) {
      const Errors errors = fault.errors(tensor, random);
      if (!is_spread_or_in_one_block(fault, errors)) continue;
      const Pair pair = pair_with(tensor, errors, 1e-3);
      deviations.push_back(std::abs(pair.estimate() / pair.truth - 1));
    }
    ASSERT_GE(deviations.size(), tensor_count / 10) << fault.name;
    std::ranges::sort(deviations);
    const auto within = std::ranges::lower_bound(deviations, 0.15) - deviations.begin();
    std::printf("| %.*s | %zu | %.1f %% | %.1f %% | %.1f %% |\n", static_cast<int>(fault.name.size()),
                fault.name.data(), deviations.size(),
                100.0 * static_cast<double>(within) / static_cast<double>(deviations.size()),
                100 * deviations[deviations.size() / 2], 100 * deviations.back());
    all += deviations.size(), all_within += static_cast<std::size_t>(within);
  }
  EXPECT_GE(static_cast<double>(all_within), 0.99 * static_cast<double>(all));
}

// True errors from 1.05 times the gate on.
TEST(SketchPower, NoFalseSameIn10000) {
  Random random(2);
  std::size_t trials = 0, same = 0;
  while (trials < 10000) {
    const TensorSample& tensor = tensors()[random() % tensors().size()];
    const Fault& fault = faults[random() % faults.size()];
    const Errors errors = fault.errors(tensor, random);
    if (!is_spread_or_in_one_block(fault, errors)) continue;
    const double excess = trials % 2 == 0 ? 1.06 : 1.06 + static_cast<double>(random() % 100) / 100;
    const Pair pair = pair_with(tensor, errors, excess * gate_of_float32);
    if (pair.truth < 1.05 * gate_of_float32) continue;
    ++trials;
    same += pair.judged_same();
  }
  std::printf("| true error 1.05-2.05 x gate, 8 kinds of fault | false `same` | %zu of %zu |\n", same, trials);
  EXPECT_EQ(same, 0u);
}

// Half the gate must pass, or the rule would be of no use.
TEST(SketchPower, HalfTheGatePasses) {
  Random random(3);
  std::size_t trials = 0, same = 0;
  for (const TensorSample& tensor : tensors()) {
    const Pair pair = pair_with(tensor, faults.front().errors(tensor, random), 0.5 * gate_of_float32);
    ++trials, same += pair.judged_same();
  }
  EXPECT_EQ(same, trials);
}

// Not a promise: errors that share a bucket may cancel. For the reader to know.
TEST(SketchPower, FewScatteredErrors) {
  Random random(4);
  std::printf("| scattered equal errors | true error | false `same` |\n|---|---|---|\n");
  for (std::size_t count = 2; count <= 10; ++count) {
    std::size_t trials = 0, same = 0;
    while (trials < 2000) {
      const TensorSample& tensor = tensors()[random() % tensors().size()];
      const Pair pair = pair_with(tensor, scattered_errors(tensor, count, random), 1.06 * gate_of_float32);
      if (pair.truth < 1.05 * gate_of_float32) continue;
      ++trials;
      same += pair.judged_same();
    }
    std::printf("| %zu | 1.05-1.07 x gate | %.2f %% |\n", count, 100.0 * static_cast<double>(same) / 2000);
    EXPECT_LT(same, 200u);
  }
}

}  // namespace
}  // namespace goldentrace
