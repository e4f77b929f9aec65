// How payloads are compressed. Every choice gives frames that any reader of the format decodes.
#pragma once

#include <cstdint>
#include <string_view>

namespace goldentrace {

enum class Codec : std::uint8_t {
  standard,  // byte shuffle and Zstandard 1 on chunks of 1 MiB; without search where a sample shows that it finds
             // nothing
  fast,      // the same without search for repetitions: entropy coding alone
  small,     // byte shuffle and a higher level on chunks of 4 MiB
  none,      // as it is
};

std::string_view name(Codec codec);        // "standard"
Codec parse_codec(std::string_view name);  // Error(usage) naming the four

}  // namespace goldentrace
