// A report for a terminal: UTF-8 lines without colour.
#pragma once

#include <cstdint>
#include <string>

#include "diff/report.h"

namespace goldentrace {

struct TextReportOptions {
  std::int64_t limit = 10;  // longest list
};

std::string to_text(const Report& report, const TextReportOptions& options = {});

}  // namespace goldentrace
