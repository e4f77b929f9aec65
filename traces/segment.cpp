#include "traces/segment.h"

#include <string>

namespace goldentrace {

std::filesystem::path segment_path(const std::filesystem::path& run, std::uint32_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  std::filesystem::path name = run.stem();
  name += "." + digits;
  name += run.extension();
  return run.parent_path() / name;
}

}  // namespace goldentrace
