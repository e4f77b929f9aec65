#include "traces/codec.h"

#include <array>
#include <string>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::array<std::string_view, 4> names{"standard", "fast", "small", "none"};

}  // namespace

std::string_view name(Codec codec) { return names.at(static_cast<std::size_t>(codec)); }

Codec parse_codec(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Codec>(i);
  }
  throw Error(ErrorCode::usage, "codec '" + std::string(name) + "' is none of standard, fast, small, none");
}

}  // namespace goldentrace
