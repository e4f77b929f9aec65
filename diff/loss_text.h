// The losses of a report as lines of text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diff/report.h"

namespace goldentrace {

// One line a step, at most `limit` of them: the first ones, or those around the first step out of the gate. Empty for
// fewer than two steps that agree.
std::vector<std::string> loss_lines(const LossCurve& curve, std::size_t limit);

}  // namespace goldentrace
