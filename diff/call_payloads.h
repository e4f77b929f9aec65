// Which layer calls of a trace can be run again from it: their inputs are there as payload.
#pragma once

#include <cstdint>
#include <vector>

#include "diff/call_index.h"
#include "diff/trace_view.h"

namespace goldentrace {

class CallPayloads {
 public:
  // One pass over the records.
  CallPayloads(const TraceView& trace, const CallIndex& calls);

  // Every recorded input, parameter, buffer and arriving gradient of the call has its payload; true without a call.
  bool are_complete(const LayerCall* call) const;

 private:
  const LayerCall* first_;
  std::vector<std::uint8_t> incomplete_;  // per row of the calls
};

}  // namespace goldentrace
