#include "diff/check/trace_checks.h"

#include <algorithm>

#include "traces/glob.h"

namespace goldentrace {

TraceChecks check_trace(const TraceView& trace, const std::string& layers) {
  TraceChecks checks;
  check_replicas(trace, checks);
  check_recomputed(trace, checks);
  check_carried(trace, checks);
  check_collectives(trace, checks);
  std::erase_if(checks.findings, [&](const TraceFinding& finding) {
    const RecordId& id = trace.records[static_cast<std::size_t>(finding.row)].id;
    return !layers.empty() && !glob_match(layers, id.layer);
  });
  std::ranges::stable_sort(checks.findings, {}, &TraceFinding::row);
  return checks;
}

}  // namespace goldentrace
