// The header as text: a title line, then name=value lines in name order, with \\, \n and \xNN escapes (also for '=' in
// names).
#pragma once

#include <string>
#include <string_view>

#include "traces/header.h"

namespace goldentrace {

std::string to_text(const Header& header);
Header parse_header(std::string_view text);  // Error(damaged)

}  // namespace goldentrace
