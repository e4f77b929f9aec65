// Thread-local and global modes that an op ran under, set for a scope.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/ScalarType.h>

#include <optional>

#include "traces/tape.h"

namespace goldentrace {

// Grad and inference mode of one op, and autocast to a dtype (none: off) for `device`.
class OpModes {
 public:
  OpModes(const TapeOp& op, DType autocast, c10::DeviceType device);
  ~OpModes();
  OpModes(const OpModes&) = delete;
  OpModes& operator=(const OpModes&) = delete;

 private:
  std::optional<c10::InferenceMode> inference_;
  c10::DeviceType device_;
  bool grad_before_;
  bool autocast_before_;
  c10::ScalarType autocast_dtype_before_;
};

// Everything that a run changes around its ops: normal mode whatever the caller's, an empty autocast cache, the CPU
// generator's state (put back afterwards), and the default dtype when `dtype` is not none.
class RunModes {
 public:
  RunModes(const at::Tensor& random_state, DType dtype);
  ~RunModes();
  RunModes(const RunModes&) = delete;
  RunModes& operator=(const RunModes&) = delete;

 private:
  c10::InferenceMode normal_{false};
  at::Tensor random_before_;
  c10::ScalarType default_dtype_before_;
};

void clear_autocast_cache();

}  // namespace goldentrace
