// One line per layer and pass, and the losses: what an overview of a trace says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/trace_reader.h"

namespace goldentrace {

struct LayerSummary {
  std::string layer;
  Pass pass = Pass::forward;
  std::int64_t calls = 0;                         // distinct calls over all steps, micros and ranks
  std::int64_t inputs = 0;                        // records of role input (grad_input in pass backward), over all calls
  std::int64_t outputs = 0;                       // records of role output (grad_output)
  std::int64_t params = 0;                        // records of role param (param_grad)
  Replayable replayable = Replayable::unchecked;  // the worst of the calls that were checked
  std::string note;                               // why not bit-equal; "inputs not captured (0)"
};

// In order of first use; records of role loss are left out, they are listed as losses.
std::vector<LayerSummary> summarize_layers(const TraceReader& trace);

struct LossValue {
  std::int64_t step = 0;
  std::optional<std::int64_t> micro;  // none: the step's reported loss
  double value = 0;
};

std::vector<LossValue> losses(const TraceReader& trace);

}  // namespace goldentrace
