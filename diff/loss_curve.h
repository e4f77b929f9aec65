// The losses of two runs step by step.
#pragma once

#include <span>

#include "diff/judged_pairs.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Of every step the reported loss, else that of its only micro-batch. `mismatched`: pairs out of their gate, in A's
// order; the first one in the first step whose losses part stands for where that step goes wrong, `roots` before
// others.
LossCurve loss_curve(const TraceView& a, const TraceView& b, const JudgedPairs& pairs,
                     std::span<const Divergence> roots, std::span<const std::int64_t> mismatched);

}  // namespace goldentrace
