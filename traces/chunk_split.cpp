#include "traces/chunk_split.h"

#include <algorithm>

#include "traces/error.h"

namespace goldentrace {

ChunkSplit ChunkSplit::choose(const Shape& row, std::size_t item_bytes, std::size_t most_bytes) {
  auto inner = static_cast<std::uint64_t>(byte_count(row, DType::uint8)) * item_bytes;
  for (std::uint32_t axis = 0;; ++axis) {
    const auto length = static_cast<std::uint64_t>(row.at(axis));
    inner /= length;
    if (inner > most_bytes && axis + 1 < row.size()) continue;
    const std::uint64_t most = std::max<std::uint64_t>(1, most_bytes / inner);
    const std::uint64_t count = (length + most - 1) / most;
    return {row, item_bytes, axis, (length + count - 1) / count};
  }
}

ChunkSplit::ChunkSplit(const Shape& row, std::size_t item_bytes, std::uint32_t axis, std::uint64_t size)
    : row_(row.begin(), row.end()), axis_(axis), size_(size) {
  const std::int64_t elements = element_count(row);
  byte_count({elements, static_cast<std::int64_t>(item_bytes)}, DType::uint8);
  if (axis >= row.size() || elements == 0 || size == 0 || size > row_[axis]) {
    throw Error(ErrorCode::damaged, "the chunks of a dataset do not fit its shape");
  }
  inner_bytes_ = item_bytes;
  for (std::size_t i = axis + 1; i < row_.size(); ++i) inner_bytes_ *= row_[i];
  for (std::size_t i = 0; i < axis; ++i) outer_ *= row_[i];
  along_ = (row_[axis] + size - 1) / size;
}

ChunkPiece ChunkSplit::piece(std::uint64_t chunk) const {
  const std::uint64_t outer = chunk / along_;
  const std::uint64_t start = chunk % along_ * size_;
  return {.first = (outer * row_[axis_] + start) * inner_bytes_,
          .bytes = std::min(size_, row_[axis_] - start) * inner_bytes_};
}

std::vector<std::uint64_t> ChunkSplit::chunk_sizes() const {
  std::vector<std::uint64_t> sizes = row_;
  std::fill_n(sizes.begin(), axis_, 1);
  sizes[axis_] = size_;
  return sizes;
}

std::vector<std::uint64_t> ChunkSplit::chunk_offset(std::uint64_t chunk) const {
  std::vector<std::uint64_t> offset(row_.size(), 0);
  offset[axis_] = chunk % along_ * size_;
  std::uint64_t outer = chunk / along_;
  for (std::uint32_t i = axis_; i-- > 0;) {
    offset[i] = outer % row_[i];
    outer /= row_[i];
  }
  return offset;
}

}  // namespace goldentrace
