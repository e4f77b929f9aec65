// Where the tensors of a .safetensors file lie: checks that trust no number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checkpoints/safetensors.h"

namespace goldentrace {

// Fills shape, offset and size of the entry. Error(damaged) unless begin <= end and end - begin is the number of
// elements times the item size, computed without overflow.
void place_entry(SafetensorsEntry& entry, std::span<const std::uint64_t> shape, std::uint64_t begin, std::uint64_t end);

// Error(damaged) for equal names, overlap or a hole. Order of the entries is free.
void check_layout(const std::vector<SafetensorsEntry>& entries);

// Bytes of all tensors together; the layout must have been checked.
std::uint64_t data_size(const std::vector<SafetensorsEntry>& entries);

}  // namespace goldentrace
