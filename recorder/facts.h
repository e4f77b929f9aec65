// What a run's results depend on besides model and data, for the header.
#pragma once

#include "recorder/recorder.h"
#include "traces/header.h"

namespace goldentrace {

// Threads, CPU features, LibTorch's version and numeric flags, capture options, allow-listed environment variables.
Header facts_of_run(const RecorderOptions& options);

}  // namespace goldentrace
