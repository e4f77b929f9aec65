// Which samples and positions of a batch are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace goldentrace {

struct PositionChoice {
  std::optional<std::pair<std::int64_t, std::int64_t>> sample;  // of A and of B, along the first axis
  std::vector<std::int64_t> mask;                               // [b, T], 0: the position does not count; empty: all do
  std::vector<std::int64_t> shape;                              // of the mask: two sizes
  std::string name;                                             // of the mask, for reports

  bool any() const { return sample.has_value() || !mask.empty(); }
  std::string text() const;  // "8 of 10 positions"
  // 1 for each element of a tensor whose axes of positions are named, 0 where one of its positions does not count.
  std::vector<std::byte> entries(const std::vector<std::int64_t>& tensor, const std::vector<std::size_t>& axes) const;
};

}  // namespace goldentrace
