#include "traces/layer_call.h"

#include <array>

namespace goldentrace {

std::string_view name(Replayable replayable) {
  constexpr std::array<std::string_view, 4> names{"unchecked", "bit-equal", "differs", "unsupported"};
  return names.at(static_cast<std::size_t>(replayable));
}

}  // namespace goldentrace
