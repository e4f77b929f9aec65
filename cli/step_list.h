// Lists of numbers on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace goldentrace {

// "0,4-7" is 0, 4, 5, 6, 7; ascending, each once; empty text: none. Error(usage) for anything else and for more than
// a million numbers; `option` names the place.
std::vector<std::int64_t> parse_number_list(const std::string& text, const std::string& option);

}  // namespace goldentrace
