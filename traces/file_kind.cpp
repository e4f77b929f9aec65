#include "traces/file_kind.h"

namespace goldentrace {

std::string kind_of_file(std::filesystem::file_type type) {
  using enum std::filesystem::file_type;
  switch (type) {
    case directory:
      return "a folder";
    case character:
    case block:
      return "a device";
    case fifo:
      return "a pipe";
    case socket:
      return "a socket";
    default:
      return "no regular file";
  }
}

}  // namespace goldentrace
