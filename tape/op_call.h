// Calls one op of a tape through the dispatcher.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "tape/executor.h"
#include "tape/slots.h"
#include "traces/tape.h"

namespace goldentrace {

struct OpResults {
  std::vector<at::Tensor> tensors;  // in order, lists flattened
  std::vector<std::string> notes;   // plain values that came out differently than recorded
};

// Writes the results into the slots. The modes are the caller's business. Error(unsupported) without the op's name,
// but with the argument's; c10::Error as LibTorch throws it.
OpResults call_op(const TapeOp& op, Slots& slots, const ExecutorOptions& options);

}  // namespace goldentrace
