// Differences that lie where the recorded mask says padding.
#pragma once

#include <optional>
#include <string>

#include "diff/trace_view.h"
#include "kernels/compare.h"

namespace goldentrace {

// "only positions 3, 4 of sample 1: padding" where every differing element of the pair lies at positions that the
// declared input `mask` of its step (integers [batch, positions], 0 = padding) leaves out. The pair has these two as
// its first axes, in either order. Nothing where there is no such mask, or where another position differs.
std::optional<std::string> padding_hint(const TraceView& a, std::int64_t row, const TensorView& view_a,
                                        const TensorView& view_b);

}  // namespace goldentrace
