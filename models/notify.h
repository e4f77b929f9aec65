// Calls a listener that may be empty.
#pragma once

namespace goldentrace {

void notify(const auto& listener, const auto&... values) {
  if (listener) listener(values...);
}

}  // namespace goldentrace
