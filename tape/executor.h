// Runs a tape with LibTorch: schema look-up, boxed calls, random state, grad and autocast modes.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "traces/tape.h"

namespace goldentrace {

// What a tape starts from. externals[i] belongs to the i-th value of the tape with source `external`, in order, with
// the recorded strides (tape/external.h restores them) and requires_grad set as wanted.
struct TapeInputs {
  std::vector<at::Tensor> externals;
  at::Tensor random_state;  // CPU generator state (uint8[5056]); undefined: leave the generator alone
};

struct ExecutorOptions {
  // Floating tensors and dtype arguments are moved to this dtype; none: as recorded.
  DType dtype = DType::none;
  bool keep_op_results = false;  // for comparing op by op
};

struct TapeRun {
  std::vector<at::Tensor> outputs;                  // in the order of Tape::outputs
  std::vector<std::vector<at::Tensor>> op_results;  // per op, with keep_op_results
};

// Runs on the calling thread under the recorded grad modes. The caller's generator state is put back afterwards.
// Error(unsupported) names op and argument.
TapeRun run_tape(const Tape& tape, const TapeInputs& inputs, const ExecutorOptions& options = {});

}  // namespace goldentrace
