// The CPU generator's state at layer entry, stored when it changed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/trace_writer.h"

namespace goldentrace {

// Reads the state; never draws, never sets. Not thread-safe: the session's lock is held around it.
class RandomState {
 public:
  // Number of the blob with the present state.
  std::int64_t at_entry(TraceWriter& writer);
  // The state that at_entry() saw last: uint8[5056], never written again.
  const at::Tensor& last() const { return last_; }

 private:
  at::Tensor last_;
  std::int64_t blob_ = -1;
};

}  // namespace goldentrace
