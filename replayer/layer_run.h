// One call of a layer, run again.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replayer/call_table.h"
#include "replayer/content.h"
#include "traces/tape.h"
#include "traces/trace_reader.h"

namespace goldentrace {

// Where a call's inputs, random state and gradients come from.
struct CallSource {
  const TraceReader& trace;
  const CallTable& table;
  CallKey key;
};

struct LayerRunOptions {
  DType dtype = DType::none;
  std::optional<c10::Device> device;
  double perturb = 0;
  bool backward = true;
  bool keep_inputs = false;  // inputs, parameters and buffers too are in LayerRun::tensors, contiguous
};

struct LayerRun {
  // By role and position of the record: outputs, grad_outputs as they were given, and the layer's shares of the
  // gradients of inputs and parameters.
  std::map<std::pair<Role, std::int32_t>, at::Tensor> tensors;
  std::vector<std::string> notes;
  bool backward = false;         // a backward was run: at least one grad_output was recorded
  std::string backward_refused;  // why there is none though gradients were recorded
};

// Error(incomparable) "cannot replay: no inputs" or naming the record without payload; Error(unsupported) naming op and
// argument.
LayerRun run_layer(const Tape& tape, const CallSource& source, const LayerRunOptions& options);

// Whether a backward can lead through the tape: some op ran with grad mode on, on something that requires a gradient.
bool is_differentiable(const Tape& tape);

}  // namespace goldentrace
