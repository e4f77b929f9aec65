// Colour for the verdict of a text report.
#pragma once

#include <string>

namespace goldentrace {

// The text with its verdict word (SAME, DIVERGED, INCOMPARABLE at the start of a line) in colour where stdout wants it.
std::string coloured_verdict(std::string text);

}  // namespace goldentrace
