// Which samples and positions of a batch are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace goldentrace {

// Where a tensor has its samples and positions.
struct PositionAxes {
  std::size_t batch = 0;
  std::int64_t repeats = 1;            // entries of the batch axis for one sample: heads of [T, b n, d]
  std::vector<std::size_t> positions;  // empty: it has none
};

struct PositionChoice {
  std::optional<std::pair<std::int64_t, std::int64_t>> sample;  // of A and of B, along the first axis
  std::vector<std::int64_t> mask;                               // [b, T], 0: the position does not count; empty: all do
  std::vector<std::int64_t> shape;                              // of the mask: two sizes
  std::string name;                                             // of the mask, for reports

  bool any() const { return sample.has_value() || !mask.empty(); }
  std::string text() const;  // "8 of 10 positions"
  // Axes as long as the mask's positions: one of [b, T, …] and [b, n, T, d], both of [b, n, T, T], one of [T, b, …] and
  // [T, b n, d]. Where there are as many samples as positions, samples come first.
  PositionAxes axes_of(const std::vector<std::int64_t>& tensor) const;
  // 1 for each element of a tensor, 0 where one of its positions does not count.
  std::vector<std::byte> entries(const std::vector<std::int64_t>& tensor, const PositionAxes& axes) const;
};

}  // namespace goldentrace
