// What the streams are connected to.
#pragma once

namespace goldentrace {

enum class Stream { out, err };

bool is_terminal(Stream stream);

// Colour: on a terminal only, and not when NO_COLOR is set to anything but the empty string or TERM is "dumb".
bool wants_colour(Stream stream);

}  // namespace goldentrace
