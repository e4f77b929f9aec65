// Dataflow between the ranks of one trace.
#pragma once

#include <cstdint>
#include <vector>

#include "diff/trace_view.h"

namespace goldentrace {

// Per record the rows of other ranks' records that it depends on, beside its recorded producers.
std::vector<std::vector<std::int64_t>> rank_edges(const TraceView& trace);

}  // namespace goldentrace
