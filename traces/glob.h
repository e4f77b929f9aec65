// Patterns over layer labels and other names: filters and rules.
#pragma once

#include <string_view>

namespace goldentrace {

// The whole text must match. '*': any characters, dots included; '?': one character (a whole UTF-8 character);
// "[abc]", "[a-z]", "[!a-z]": one of a set of bytes; '\' takes the next character as it is. A '[' without ']' stands
// for itself. Time grows with pattern times text at worst.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace goldentrace
