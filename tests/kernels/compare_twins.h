// Pairs of tensors of every kind, and the comparison of comparisons.
#pragma once

#include <string>
#include <vector>

#include "kernels/compare.h"
#include "tests/kernels/tensors.h"

namespace goldentrace::testing {

struct PairCase {
  std::string name;
  DType dtype_a, dtype_b;
  std::vector<std::int64_t> shape;
  Bytes bytes_a, bytes_b;

  TensorView a() const { return {dtype_a, shape, bytes_a}; }
  TensorView b() const { return {dtype_b, shape, bytes_b}; }
};

std::vector<PairCase> pair_cases();

// Equal in everything but sums, which may differ by 1e-12 of their size.
void expect_same_comparison(const Comparison& actual, const Comparison& expected);

}  // namespace goldentrace::testing
