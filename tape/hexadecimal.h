// Bytes as lower-case hexadecimal text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldentrace {

std::string to_hexadecimal(std::span<const std::byte> bytes);
std::vector<std::byte> from_hexadecimal(std::string_view text);  // Error(damaged) on other digits or half a byte

}  // namespace goldentrace
