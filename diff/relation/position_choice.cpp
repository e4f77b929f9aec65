#include "diff/relation/position_choice.h"

#include <algorithm>

namespace goldentrace {

std::string PositionChoice::text() const {
  const auto kept = static_cast<std::int64_t>(mask.size()) - std::ranges::count(mask, 0);
  return std::to_string(kept) + " of " + std::to_string(mask.size()) + " positions";
}

PositionAxes PositionChoice::axes_of(const std::vector<std::int64_t>& tensor) const {
  if (tensor.size() < 2) return {};
  const std::int64_t batch = shape.front();
  const std::int64_t length = shape.back();
  if (tensor.size() == 4) {
    PositionAxes axes;
    if (tensor[0] != batch || tensor[2] != length) return axes;
    axes.positions.push_back(2);
    if (tensor[3] == length) axes.positions.push_back(3);
    return axes;
  }
  if (tensor[0] == batch && tensor[1] == length) return {0, 1, {1}};
  const bool divides = tensor[1] == batch || (tensor.size() == 3 && tensor[1] > 0 && tensor[1] % batch == 0);
  return tensor[0] == length && divides ? PositionAxes{1, tensor[1] / batch, {0}} : PositionAxes{};
}

std::vector<std::byte> PositionChoice::entries(const std::vector<std::int64_t>& tensor,
                                               const PositionAxes& axes) const {
  std::size_t count = 1;
  for (const std::int64_t size : tensor) count *= static_cast<std::size_t>(size);
  std::vector<std::byte> result(count, std::byte{1});
  std::vector<std::int64_t> place(tensor.size(), 0);
  for (std::byte& entry : result) {
    const std::int64_t sample = place[axes.batch] / axes.repeats;
    for (const std::size_t axis : axes.positions) {
      if (mask[static_cast<std::size_t>(sample * shape.back() + place[axis])] == 0) entry = std::byte{0};
    }
    for (std::size_t axis = tensor.size(); axis-- > 0 && ++place[axis] == tensor[axis];) place[axis] = 0;
  }
  return result;
}

}  // namespace goldentrace
