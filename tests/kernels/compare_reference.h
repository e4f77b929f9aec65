// compare() written the slow and obvious way: whole arrays, one metric after the other.
#pragma once

#include "kernels/compare.h"

namespace goldentrace::testing {

Comparison reference_compare(const TensorView& a, const TensorView& b, const CompareOptions& options);

}  // namespace goldentrace::testing
