// The byte shuffle of HDF5's filter 2: all first bytes of the items, then all second bytes, and so on.
#pragma once

#include <cstddef>
#include <span>

namespace goldentrace {

// `in` and `out` have equal sizes and do not overlap. Bytes behind the last whole item are copied.
void shuffle(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out);
void unshuffle(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out);

}  // namespace goldentrace
