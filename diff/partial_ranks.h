// Whether a trace of several ranks has of each what it has of the others.
#pragma once

#include <string>

#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// "rank 1 has no record of step 2, which rank 0 has", for the first rank and step that the run went through without it:
// its recorder ended early. Empty where all ranks have the same steps. The evaluation at the end counts for none.
std::string missing_rank_step(const TraceView& trace);

// A note for a side that is such a part, and no verdict `same` from it. `side`: "A", "B", or empty for the only trace.
void refuse_partial_ranks(const TraceView& trace, const std::string& side, Report& report);

}  // namespace goldentrace
