// One recorded run of a built-in trainer: opens the recorder, wires the events, seals the trace, sums up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/exit_code.h"
#include "cli/record_options.h"
#include "models/events.h"
#include "traces/header.h"

namespace goldentrace {

struct RecordedModel {
  Header header;           // model.* of the run
  std::int64_t heads = 0;  // attention heads, for planted faults; 0: none
  std::int64_t steps = 0;  // of the whole run, a final evaluation included
  // Trains with these events; `log` takes lines for people.
  std::function<void(const Events& events, const std::function<void(const std::string&)>& log)> train;
};

// Error(usage) for options that cannot be, before anything is written. On a signal the open step is dropped, the
// committed ones are sealed and Error(incomplete) names the signal; so are they when another rank is lost. When writing
// fails the model still runs to its end.
ExitCode run_recording(const RecordOptions& options, const RecordedModel& model);

// The text of a shell command that gives these arguments.
std::string shell_text(const std::vector<std::string>& arguments);

}  // namespace goldentrace
