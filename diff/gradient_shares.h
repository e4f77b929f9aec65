// What a total gradient is made of, from the shares of the layers on all ranks and micro-batches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diff/trace_view.h"

namespace goldentrace {

// Row of a `param_grad` of pass update. "the gradient of rank 1 is left out", "twice what …"; nothing where the total
// is the right mean, or where no simple mistake explains it. From sketches, which are linear.
std::optional<std::string> explain_total(const TraceView& trace, std::int64_t row);

}  // namespace goldentrace
