// A replay report for people.
#pragma once

#include <string>

#include "replayer/report.h"

namespace goldentrace {

enum class Detail {
  normal,   // one line per call; every record that is not bit-equal
  verbose,  // every record
};

std::string text_report(const ReplayReport& report, Detail detail = Detail::normal);

}  // namespace goldentrace
