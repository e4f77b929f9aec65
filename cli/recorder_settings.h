// The recorder's options from those of the command line.
#pragma once

#include "cli/record_options.h"
#include "recorder/recorder.h"

namespace goldentrace {

// Error(usage) for a list of steps that does not parse; errors of a golden, a level file and an output that cannot
// be used, those of TraceWriter included. Leaves nothing behind.
RecorderOptions recorder_settings(const CaptureOptions& capture, Header header);

}  // namespace goldentrace
