// The first NaN or infinity of a trace, in execution order.
#pragma once

#include <optional>

#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// By the statistics of the records; one payload is read, to say where in the tensor.
std::optional<NonFinite> first_nonfinite(const TraceView& trace);

}  // namespace goldentrace
