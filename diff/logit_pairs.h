// Finds the logits of two aligned traces and measures their quality.
#pragma once

#include <optional>
#include <string>

#include "diff/align.h"
#include "diff/diff.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Reads one pair of logits at a time. Error(incomparable) where there are none, where one has no payload, or where the
// targets do not fit them: what was asked for cannot be answered.
QualityReport measure_quality(const TraceView& a, const TraceView& b, const Alignment& alignment,
                              const QualityOptions& options);

}  // namespace goldentrace
