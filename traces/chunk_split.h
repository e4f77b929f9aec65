// How one row of a tensor dataset is cut into chunks: along one axis, axes before it one by one, axes behind it whole.
// So every chunk covers consecutive bytes of the row-major row; the last one along the axis is padded with zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

struct ChunkPiece {
  std::uint64_t first = 0;  // byte of the row
  std::uint64_t bytes = 0;  // without the padding
};

class ChunkSplit {
 public:
  // The split with chunks of at most `most_bytes`. The row is not empty.
  static ChunkSplit choose(const Shape& row, std::size_t item_bytes, std::size_t most_bytes);
  // The split that a file names. Error(damaged) when it does not fit the row.
  ChunkSplit(const Shape& row, std::size_t item_bytes, std::uint32_t axis, std::uint64_t size);

  std::uint32_t axis() const { return axis_; }
  std::uint64_t size() const { return size_; }  // along the axis
  std::uint64_t chunk_bytes() const { return size_ * inner_bytes_; }
  std::uint64_t chunks() const { return outer_ * along_; }  // of one row
  std::uint64_t row_bytes() const { return outer_ * row_[axis_] * inner_bytes_; }
  ChunkPiece piece(std::uint64_t chunk) const;
  std::vector<std::uint64_t> chunk_sizes() const;                      // per axis of the row
  std::vector<std::uint64_t> chunk_offset(std::uint64_t chunk) const;  // first element per axis of the row

 private:
  std::vector<std::uint64_t> row_;
  std::uint32_t axis_;
  std::uint64_t size_;
  std::uint64_t inner_bytes_ = 0;  // one index of the axis
  std::uint64_t outer_ = 1;        // product of the axes before
  std::uint64_t along_ = 0;        // chunks along the axis
};

}  // namespace goldentrace
