// Which calls of a trace are replayed.
#pragma once

#include <cstdint>
#include <vector>

#include "replayer/replay.h"
#include "traces/trace_reader.h"

namespace goldentrace {

struct Selection {
  std::vector<std::int64_t> calls;  // rows of TraceReader::calls(), in order
  std::vector<NotReplayed> left_out;
};

// Error(not_found) for an unknown layer (with the closest names), step, micro, rank or call. Error(incomparable) "cannot
// replay: no inputs" for a layer of which only outputs were recorded; Error(usage) for "(root)".
Selection select_calls(const TraceReader& trace, const ReplayOptions& options);

}  // namespace goldentrace
