// Why two runs cannot be compared: they were fed different data.
#pragma once

#include <optional>
#include <string>

#include "diff/judged_pairs.h"
#include "diff/trace_view.h"

namespace goldentrace {

// One line: the input, where it differs, and how; or that the two declare no input alike. Nothing where they agree.
std::optional<std::string> input_difference(const TraceView& a, const TraceView& b, const JudgedPairs& pairs);

}  // namespace goldentrace
