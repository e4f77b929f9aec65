// Connects a model's events to a recorder and a planted fault.
#pragma once

#include <exception>

#include "cli/plant.h"
#include "cli/run_coverage.h"
#include "models/events.h"
#include "recorder/recorder.h"

namespace goldentrace {

// Thrown into the training loop when the recording has ended and nobody needs the rest of the run.
struct RecordingEnded : std::exception {
  const char* what() const noexcept override { return "the recording has ended"; }
};

// What the events look at besides the model.
struct Watch {
  Plant* plant = nullptr;           // null: none
  RunCoverage* coverage = nullptr;  // null: nobody asks
  const bool* ended = nullptr;      // set by the recorder when the run may stop; null: never
};

// `recorder` and what `watch` points to must outlive the events. Every event also notices signals and throws
// Interrupted or RecordingEnded into the training loop; at the first loss a plant whose layer never came throws
// Error(usage).
Events wire(Recorder& recorder, const Watch& watch);

}  // namespace goldentrace
