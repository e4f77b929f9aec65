// What every way of comparing shares: the checks before, and the norms after.
#pragma once

#include <cstdint>

#include "kernels/compare.h"
#include "kernels/pair_block.h"
#include "kernels/pair_chunk.h"
#include "kernels/row_sums.h"

namespace goldentrace {

static_assert(pair_histogram == ulp_buckets);

// std::logic_error unless shapes are equal, dtypes fit each other and byte sizes are right. Reads no element.
TensorPair checked_pair(const TensorView& a, const TensorView& b);

// Length of a row: 0 for 0- and 1-dim tensors, which have none.
std::int64_t row_elements(const TensorView& tensor);

struct Sums {
  PairSums total;
  WorstRow worst;
  SumScale scale;
};
void set_norms(const Sums& sums, Comparison& result);

// Squares of values outside 2^-480 … 2^480 may leave the range of double.
bool is_far_from_one(double value);

// Only float64 can need a scale, and sums that lie well within the range of double need none.
bool may_need_scale(const TensorPair& pair, const PairSums& sums, double max_abs);
SumScale scale_for(const TensorPair& pair, const PairSums& sums, double largest_value, double max_abs);

void set_opaque_norm(Comparison& result);

// A way to run the arithmetic of kernels/pair_block.h.
class PairPasses {
 public:
  virtual ~PairPasses() = default;
  virtual PairPart elements(const PairView& pair, const PairScaling& scaling, std::uint64_t* histogram) = 0;
  virtual Largest rows(const PairView& pair, const PairScaling& scaling, const RowJob& job) = 0;
};

Comparison compare_by_passes(const TensorView& a, const TensorView& b, const CompareOptions& options,
                             PairPasses& passes);

}  // namespace goldentrace
