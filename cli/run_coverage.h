// What a run went through, to see whether the filters of a recording met any of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "cli/record_options.h"

namespace goldentrace {

struct RunCoverage {
  std::set<std::string> layers;
  std::set<std::int64_t> steps;
};

// Error(usage) when --layers-only or --record-steps left nothing to record, with what there was.
void check_filters(const CaptureOptions& capture, const RunCoverage& run);

}  // namespace goldentrace
