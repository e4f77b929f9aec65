// The report as one JSON document, schema goldentrace.diff/1 (docs/CLI.md). Fields are added, never changed.
#pragma once

#include <string>

#include "diff/report.h"

namespace goldentrace {

// Pretty-printed, ends with a newline. Numbers that are not finite are null, but for the values `a` and `b` of an
// element, which are then the texts "NaN", "Infinity" or "-Infinity". Metrics that sketches cannot give are null.
std::string to_json(const Report& report);

}  // namespace goldentrace
