// What numbers of micro-batches, ranks and tokens say about a first divergence: hints, not proofs.
#pragma once

#include <vector>

#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// The traces as they were recorded, and the report with its first divergence and the hints from its values. In order:
// what a constant ratio is (accumulation steps, ranks, present of configured micro-batches, a loss scale), a mean of
// means where the token counts are recorded, whose share of a total gradient is missing, a random state that two ranks
// have in common.
std::vector<Diagnosis> variant_hints(const TraceView& a, const TraceView& b, const Report& report);

}  // namespace goldentrace
