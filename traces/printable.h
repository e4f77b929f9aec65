// Text of a trace for a terminal: labels, names and header values come from a file that anybody may have written.
#pragma once

#include <string>
#include <string_view>

namespace goldentrace {

// The text as one line that no terminal acts upon. Control characters become \n, \t, \r, \x1b; bytes that are no UTF-8
// become \xff; the controls of Unicode that move or reverse text (C1, line and paragraph separators, bidirectional
// marks) become \u{202e}. Everything else stays as it is, backslashes too: for reading, not for parsing.
std::string printable(std::string_view text);

}  // namespace goldentrace
