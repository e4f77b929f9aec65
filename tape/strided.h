// Memory of tensors with strides, without LibTorch.
#pragma once

#include <cstddef>
#include <span>

#include "traces/record.h"

namespace goldentrace {

// Elements that a storage must have for a tensor of this shape, strides and offset; 0 when it has no elements and no
// offset. Error(damaged) for negative values, a rank mismatch, or more than 2^40 elements.
std::int64_t storage_elements(const Shape& shape, const Shape& strides, std::int64_t offset);

// Copies contiguous elements of `item` bytes to their places. `storage` has at least storage_elements(...) elements.
void scatter(std::span<const std::byte> contiguous, std::size_t item, const Shape& shape, const Shape& strides,
             std::int64_t offset, std::span<std::byte> storage);

}  // namespace goldentrace
