// What the checks inside a trace add to the report of a diff.
#pragma once

#include "diff/diff.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Checks both traces, lists what was found and makes a report that says `same` diverged; where no pair diverged, the
// first finding is the first divergence. An incomparable report stays one.
void add_checks(const TraceView& a, const TraceView& b, const DiffOptions& options, Report& report);

// The checks alone, of one trace.
Report check_report(const TraceView& trace, const DiffOptions& options);

}  // namespace goldentrace
