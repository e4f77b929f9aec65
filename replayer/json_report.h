// A replay report as one JSON document, schema goldentrace.replay/1.
#pragma once

#include <string>

#include "replayer/report.h"

namespace goldentrace {

// Fields are added freely and never change; readers accept new enum values. Numbers that JSON cannot hold (infinity,
// NaN) are null.
std::string json_report(const ReplayReport& report);

}  // namespace goldentrace
