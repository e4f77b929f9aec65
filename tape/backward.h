// The backward of a tape that was run.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "tape/executor.h"

namespace goldentrace {

// grad_outputs[i] is the total gradient at run.outputs[i], consumption inside the layer included; undefined when none
// arrived. Each total replaces what the engine sums up at that output, so that nothing is counted twice. An output
// that is one of the externals itself passes nothing on: the share of the layer is what its own ops contribute.
// Gives the layer's share of the gradient of each external, in order; undefined where none arrives. Works once per run
// (the graph is freed), on the calling thread. Contributions are summed in the engine's order, which is the original's:
// the result is bit-equal to the share in the whole model.
// Error(unsupported) with what LibTorch says.
std::vector<at::Tensor> run_backward(const TapeRun& run, const std::vector<at::Tensor>& grad_outputs);

}  // namespace goldentrace
