// GPT-2's alphabet: a printable character for each byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace goldentrace {

// Printable Latin-1 characters stand for themselves, the other 68 bytes are U+0100 … in order.
char32_t character_of_byte(unsigned char byte);

// The bytes of a token that is written in the alphabet; nothing when it has another character.
std::optional<std::string> bytes_of_token(std::string_view token);

}  // namespace goldentrace
