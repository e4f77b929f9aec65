// The recorder's options from those of the command line.
#pragma once

#include "cli/record_options.h"
#include "recorder/recorder.h"

namespace goldentrace {

// Error(usage) for a list of steps that does not parse; the output path is checked (output_path.h).
RecorderOptions recorder_settings(const CaptureOptions& capture, Header header);

}  // namespace goldentrace
