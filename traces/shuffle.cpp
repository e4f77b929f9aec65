#include "traces/shuffle.h"

#include <algorithm>
#include <cstring>

namespace goldentrace {
namespace {

// Items are taken in blocks that stay in the first-level cache while each of their byte planes is visited.
constexpr std::size_t block_items = 1024;

template <std::size_t fixed>
void shuffle_items(const std::byte* in, std::size_t any, std::size_t items, std::byte* out) {
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
void unshuffle_items(const std::byte* in, std::size_t any, std::size_t items, std::byte* out) {
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

void copy_rest(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out) {
  const std::size_t whole = in.size() / item_bytes * item_bytes;
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(whole), in.end(),
            out.begin() + static_cast<std::ptrdiff_t>(whole));
}

}  // namespace

void shuffle(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out) {
  const std::size_t items = in.size() / item_bytes;
  switch (item_bytes) {
    case 2:
      shuffle_items<2>(in.data(), 2, items, out.data());
      break;
    case 4:
      shuffle_items<4>(in.data(), 4, items, out.data());
      break;
    case 8:
      shuffle_items<8>(in.data(), 8, items, out.data());
      break;
    default:
      shuffle_items<0>(in.data(), item_bytes, items, out.data());
  }
  copy_rest(in, item_bytes, out);
}

void unshuffle(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out) {
  const std::size_t items = in.size() / item_bytes;
  switch (item_bytes) {
    case 2:
      unshuffle_items<2>(in.data(), 2, items, out.data());
      break;
    case 4:
      unshuffle_items<4>(in.data(), 4, items, out.data());
      break;
    case 8:
      unshuffle_items<8>(in.data(), 8, items, out.data());
      break;
    default:
      unshuffle_items<0>(in.data(), item_bytes, items, out.data());
  }
  copy_rest(in, item_bytes, out);
}

}  // namespace goldentrace
