// Text that may be no UTF-8, made into text that is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace goldentrace {

// Each maximal part of a broken sequence becomes one U+FFFD, as Python's bytes.decode(errors="replace") does (Unicode
// 3.9, "substitution of maximal subparts").
std::string repaired_utf8(std::string_view text);

// The code point that begins at `position` of valid UTF-8, and moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& position);

void append_utf8(std::string& text, char32_t code_point);

}  // namespace goldentrace
