// The JSON header of a .safetensors file, from untrusted text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/safetensors.h"

namespace goldentrace {

inline constexpr std::uint64_t max_safetensors_header = 100'000'000;  // bytes; the limit of the format's own reader

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of the text
  std::map<std::string, std::string> metadata;
};

// Throws Error(damaged) that names the tensor or the header field. Memory is bounded by a small multiple of the text;
// nesting is refused where the format has none. Entries are consistent on return: size = elements * item size, no
// overlap, no hole, the first at 0. That the file is long enough remains to be checked.
SafetensorsHeader parse_safetensors_header(std::string_view json);

// A name as it may stand in an error line: control characters replaced, cut after 200 bytes.
std::string shown_name(std::string_view name);

}  // namespace goldentrace
