// Runs a tape with LibTorch: schema look-up, boxed calls, random state, grad and autocast modes.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/tape.h"

namespace goldentrace {

// What a tape starts from. externals[i] belongs to the i-th value of the tape with source `external`, in order, with
// the recorded strides and requires_grad as wanted (tape/external.h makes them). In-place ops write into them.
struct TapeInputs {
  std::vector<at::Tensor> externals;
  at::Tensor random_state;  // CPU generator state (uint8[5056]); undefined: leave the generator alone
};

struct ExecutorOptions {
  // Floating dtype arguments become this dtype (complex ones its complex partner), the default dtype too, and autocast
  // is off; the caller moves the externals. none: as recorded.
  DType dtype = DType::none;
  std::optional<c10::Device> device;  // device arguments become this device; empty: as recorded
  bool keep_op_results = false;       // for comparing op by op
};

// Where the gradients of the externals arrive (tape/backward.h).
struct GradientSinks;

struct TapeRun {
  std::vector<at::Tensor> outputs;  // in the order of Tape::outputs
  // Per op with keep_op_results: copies of its tensor results as they were right after the op.
  std::vector<std::vector<at::Tensor>> op_results;
  // Plain values that an op gave differently than when it was recorded, e.g. of item(): decisions of the program that
  // hang on them are baked into the tape.
  std::vector<std::string> notes;
  std::shared_ptr<const GradientSinks> sinks;
};

// Runs on the calling thread under the recorded modes, whatever the caller's are. The caller's modes, default dtype and
// generator state are put back afterwards. Error(unsupported) names op and argument; what LibTorch throws becomes such
// an error too.
TapeRun run_tape(const Tape& tape, const TapeInputs& inputs, const ExecutorOptions& options = {});

}  // namespace goldentrace
