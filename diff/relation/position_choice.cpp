#include "diff/relation/position_choice.h"

#include <algorithm>

namespace goldentrace {

std::string PositionChoice::text() const {
  const auto kept = static_cast<std::int64_t>(mask.size()) - std::ranges::count(mask, 0);
  return std::to_string(kept) + " of " + std::to_string(mask.size()) + " positions";
}

std::vector<std::byte> PositionChoice::entries(const std::vector<std::int64_t>& tensor,
                                               const std::vector<std::size_t>& axes) const {
  std::size_t count = 1;
  for (const std::int64_t size : tensor) count *= static_cast<std::size_t>(size);
  std::vector<std::byte> result(count, std::byte{1});
  std::vector<std::int64_t> place(tensor.size(), 0);
  for (std::byte& entry : result) {
    for (const std::size_t axis : axes) {
      if (mask[static_cast<std::size_t>(place.front() * shape.back() + place[axis])] == 0) entry = std::byte{0};
    }
    for (std::size_t axis = tensor.size(); axis-- > 0 && ++place[axis] == tensor[axis];) place[axis] = 0;
  }
  return result;
}

}  // namespace goldentrace
