#include "diff/diff.h"
#include "traces/trace_reader.h"

namespace goldentrace {

Report diff(const TraceReader& a, const TraceReader& b, const DiffOptions& options) {
  Report report = diff(view(a), view(b), options);
  if (a.being_rewritten()) report.notes.push_back("A is being recorded again; this is the old file");
  if (b.being_rewritten()) report.notes.push_back("B is being recorded again; this is the old file");
  return report;
}

Report diff(const TraceReader& trace, const DiffOptions& options) { return diff(view(trace), options); }

}  // namespace goldentrace
