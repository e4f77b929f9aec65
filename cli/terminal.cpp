#include "cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace goldentrace {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

bool is_terminal(Stream stream) { return isatty(stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO) != 0; }

bool wants_colour(Stream stream) {
  return is_terminal(stream) && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace goldentrace
