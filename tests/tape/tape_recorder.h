// A small observer that makes a tape of what a test runs; the real one is in recorder/.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <functional>
#include <string>
#include <vector>

#include "tape/executor.h"
#include "traces/tape.h"

namespace goldentrace {

struct TapedRun {
  Tape tape;
  std::vector<at::Tensor> externals;  // contents at first sight, detached, in the order of the tape's externals
  std::vector<at::Tensor> originals;  // the same externals as the layer read them
  at::Tensor random_state;            // at entry
  std::vector<at::Tensor> outputs;
};

// Runs `layer` and tapes the ops it calls on this thread. The tensors it returns are the outputs.
TapedRun tape_of(const std::function<std::vector<at::Tensor>()>& layer);

// What run_tape needs to run it again: externals with the recorded strides from contiguous bytes.
TapeInputs inputs_of(const TapedRun& run, DType dtype = DType::none);

// Same bits, dtype and shape.
bool bit_equal(const at::Tensor& a, const at::Tensor& b);

}  // namespace goldentrace
