// The tensors of a running tape: one slot per tape value.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "traces/tape.h"

namespace goldentrace {

// Holds references to the tape and to the tensors it was given; one run.
class Slots {
 public:
  // Error(damaged) when the tape names values that it does not have, Error(internal) when `externals` does not fit it.
  Slots(const Tape& tape, const std::vector<at::Tensor>& externals);

  // Error(damaged) for an unknown value and for one that no op has made yet. An alias comes to life at its first use.
  at::Tensor get(ValueIndex value);
  void set(ValueIndex value, at::Tensor tensor);

 private:
  const TapeValue& described(ValueIndex value) const;
  at::Tensor alias(ValueIndex value);

  const Tape& tape_;
  std::vector<at::Tensor> tensors_;
  int alias_depth_ = 0;
};

}  // namespace goldentrace
