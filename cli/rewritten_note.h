// Says that a file is about to be replaced.
#pragma once

#include "cli/output_options.h"
#include "traces/trace_reader.h"

namespace goldentrace {

// One line on stderr, unless quiet, when a recorder is writing a newer trace over this one.
void note_if_rewritten(const TraceReader& trace, const OutputOptions& options);

}  // namespace goldentrace
