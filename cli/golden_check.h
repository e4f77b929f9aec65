// Whether a recording can be checked against a golden: what --capture check, --golden and --stop-after need.
#pragma once

#include "cli/record_options.h"
#include "traces/header.h"

namespace goldentrace {

// Error(usage) when one of the options lacks another, when the golden is the trace that is to be written, and when it
// is of another model or of other sizes than `run`, the header of the recording. Opens the golden: the reader's errors.
void check_golden(const CaptureOptions& capture, const Header& run);

}  // namespace goldentrace
