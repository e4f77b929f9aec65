#include "cli/run_coverage.h"

#include <algorithm>

#include "cli/step_list.h"
#include "cli/suggestion.h"
#include "traces/error.h"
#include "traces/glob.h"
#include "traces/record_id.h"

namespace goldentrace {
namespace {

void check_layers(const std::vector<std::string>& globs, const std::set<std::string>& layers) {
  const bool met = std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return glob_match(glob, root_layer) ||
           std::any_of(layers.begin(), layers.end(), [&](const std::string& layer) { return glob_match(glob, layer); });
  });
  if (globs.empty() || met) return;
  throw Error(ErrorCode::usage, "--layers-only: no layer matches '" + globs.front() + "', " +
                                    suggestion(globs.front(), {layers.begin(), layers.end()}));
}

void check_steps(const std::string& list, const std::set<std::int64_t>& steps) {
  const std::vector<std::int64_t> wanted = parse_number_list(list, "--record-steps");
  const bool met = std::any_of(wanted.begin(), wanted.end(), [&](std::int64_t step) { return steps.contains(step); });
  if (wanted.empty() || met || steps.empty()) return;
  throw Error(ErrorCode::usage, "--record-steps: the run has no step " + list + ", only " +
                                    std::to_string(*steps.begin()) + " to " + std::to_string(*steps.rbegin()));
}

}  // namespace

void check_filters(const CaptureOptions& capture, const RunCoverage& run) {
  check_layers(capture.layers_only, run.layers);
  check_steps(capture.record_steps, run.steps);
}

}  // namespace goldentrace
