#include "traces/shuffle.h"

#include <algorithm>
#include <cstring>

#include "traces/clones.h"

namespace goldentrace {
namespace {

// Items are taken in blocks that stay in the first-level cache while each of their byte planes is visited.
constexpr std::size_t block_items = 1024;

template <std::size_t fixed>
GOLDENTRACE_INLINE void shuffle_items(const std::byte* in, std::size_t any, std::size_t items, std::byte* out) {
  const std::size_t size = fixed != 0 ? fixed : any;
  for (std::size_t start = 0; start < items; start += block_items) {
    const std::size_t count = std::min(block_items, items - start);
    for (std::size_t plane = 0; plane < size; ++plane) {
      const std::byte* from = in + start * size + plane;
      std::byte* to = out + plane * items + start;
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i * size];
    }
  }
}

template <std::size_t fixed>
GOLDENTRACE_INLINE void unshuffle_items(const std::byte* in, std::size_t any, std::size_t items, std::byte* out) {
  const std::size_t size = fixed != 0 ? fixed : any;
  for (std::size_t start = 0; start < items; start += block_items) {
    const std::size_t count = std::min(block_items, items - start);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t plane = 0; plane < size; ++plane) {
        out[(start + i) * size + plane] = in[plane * items + start + i];
      }
    }
  }
}

GOLDENTRACE_CLONES
void shuffle_whole(const std::byte* in, std::size_t item_bytes, std::size_t items, std::byte* out) {
  switch (item_bytes) {
    case 2:
      return shuffle_items<2>(in, 2, items, out);
    case 4:
      return shuffle_items<4>(in, 4, items, out);
    case 8:
      return shuffle_items<8>(in, 8, items, out);
    default:
      return shuffle_items<0>(in, item_bytes, items, out);
  }
}

GOLDENTRACE_CLONES
void unshuffle_whole(const std::byte* in, std::size_t item_bytes, std::size_t items, std::byte* out) {
  switch (item_bytes) {
    case 2:
      return unshuffle_items<2>(in, 2, items, out);
    case 4:
      return unshuffle_items<4>(in, 4, items, out);
    case 8:
      return unshuffle_items<8>(in, 8, items, out);
    default:
      return unshuffle_items<0>(in, item_bytes, items, out);
  }
}

void copy_rest(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out) {
  const std::size_t whole = in.size() / item_bytes * item_bytes;
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(whole), in.end(),
            out.begin() + static_cast<std::ptrdiff_t>(whole));
}

}  // namespace

void shuffle(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out) {
  shuffle_whole(in.data(), item_bytes, in.size() / item_bytes, out.data());
  copy_rest(in, item_bytes, out);
}

void unshuffle(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out) {
  unshuffle_whole(in.data(), item_bytes, in.size() / item_bytes, out.data());
  copy_rest(in, item_bytes, out);
}

}  // namespace goldentrace
