// Connects a model's events to a recorder and a planted fault.
#pragma once

#include "cli/plant.h"
#include "cli/run_coverage.h"
#include "models/events.h"
#include "recorder/recorder.h"

namespace goldentrace {

// `recorder`, `plant` (null: none) and `coverage` (null: nobody asks) must outlive the events. Every event also notices
// signals and throws Interrupted into the training loop; at the first loss a plant whose layer never came throws
// Error(usage).
Events wire(Recorder& recorder, Plant* plant, RunCoverage* coverage = nullptr);

}  // namespace goldentrace
