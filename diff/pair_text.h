// Lines about one pair of tensors, shared by the reports for people.
#pragma once

#include <string>
#include <vector>

#include "diff/report.h"

namespace goldentrace {

// "[2, 5, 16] float32", or both sides where they differ: "[3] | [3, 1] float32".
std::string types_text(const PairReport& pair);
// ": 34 % used", ": 101 times the limit"; empty where no measure applies.
std::string use_text(const Judgement& judgement);
// Worst element with both values, errors, equal elements, ulp.
std::vector<std::string> metric_lines(const PairReport& pair);
// The same in one line.
std::string summary(const PairReport& pair);

}  // namespace goldentrace
