// The elementwise figures of one chunk: largest differences, equal elements, elements outside the gate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/pair_chunk.h"

namespace goldentrace {

struct FigureBounds {
  double rtol = 0;  // not negative, like atol
  double atol = 0;
  double max_rel = 0;  // the largest relative difference so far
};

struct ElementFigures {
  double max_abs = 0;
  bool may_raise_max_rel = false;  // decided without division; false is certain
  std::int64_t equal = 0;
  std::int64_t outside = 0;
};

// Over all elements of the chunk; those excluded as non-finite count as equal.
ElementFigures element_figures(const PairChunk& chunk, const FigureBounds& bounds);

double largest_rel(const PairChunk& chunk);

// Position in the chunk of the first element that has the figure. Only for figures that the chunk has.
std::size_t first_with_abs(const PairChunk& chunk, double max_abs);
std::size_t first_with_rel(const PairChunk& chunk, double max_rel);
std::size_t first_outside(const PairChunk& chunk, double rtol, double atol);

// Elements with the same bits; items of 1, 2, 4, 8 or 16 bytes.
std::int64_t count_same_items(const std::byte* a, const std::byte* b, std::size_t item_bytes, std::size_t count);

}  // namespace goldentrace
