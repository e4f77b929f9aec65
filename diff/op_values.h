// Names the op at which two layer calls part: by their code, and by the values of single ops where both traces hold
// them (recorded with --ops).
#pragma once

#include <optional>
#include <vector>

#include "diff/report.h"
#include "diff/tape_diff.h"
#include "diff/trace_view.h"

namespace goldentrace {

struct TapedCall {
  const TraceView& trace;
  const LayerCall& call;
  const Tape& tape;
};

// The difference in code that lies at or closest before the first op whose value differs; that op itself (status
// "value") when the code before it is the same; the first difference in code where op values are not recorded; nothing
// when neither differs. `differences` come from diff_tapes on these tapes.
std::optional<OpReport> name_op(const TapedCall& a, const TapedCall& b, const std::vector<TapeDifference>& differences);

}  // namespace goldentrace
