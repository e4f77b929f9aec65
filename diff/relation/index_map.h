// The elements of one tensor in another order or number: transposes, splits, merges and slices as one walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

// Axes count from the back when negative. Every member function throws Error(usage) in words when the axis is not there
// or sizes do not fit; the map is unchanged then.
class IndexMap {
 public:
  explicit IndexMap(const Shape& source);

  Shape shape() const;
  bool is_identity() const;
  bool keeps_all() const { return keeps_all_; }  // nothing was cut off: the map can be undone

  void permute(std::span<const std::int64_t> axes);
  void transpose(std::int64_t first, std::int64_t second);
  // One of the sizes may be -1.
  void split(std::int64_t axis, std::vector<std::int64_t> sizes);
  void merge(std::int64_t axis, std::int64_t count);
  // False when the axis was merged from axes in another order: the map must be carried out before.
  bool slice(std::int64_t axis, std::int64_t from, std::int64_t to);

  // Which element of the source this one of the result is.
  std::int64_t source_of(std::int64_t element) const;

  // Row-major elements of `item` bytes each; the spans have the sizes of source and result.
  void gather(std::span<const std::byte> source, std::size_t item, std::span<std::byte> result) const;
  // Undoes it. Only where keeps_all().
  void scatter(std::span<const std::byte> result, std::size_t item, std::span<std::byte> source) const;

 private:
  struct Axis {
    std::int64_t size;
    std::int64_t stride;  // elements of the source
  };
  using Group = std::vector<Axis>;  // one axis of the result, its parts from the outermost

  static Group take(Group& rest, std::int64_t size, std::span<const std::int64_t> sizes);

  std::size_t at(std::int64_t axis) const;
  std::vector<Axis> walk() const;  // all parts, neighbours joined where they run on

  std::vector<Group> groups_;
  std::int64_t offset_ = 0;
  bool keeps_all_ = true;
};

}  // namespace goldentrace
