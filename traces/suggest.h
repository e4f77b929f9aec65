// Names close to one that is not there, for error messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldentrace {

// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string alignment), in
// bytes. Long names are cut at 256 bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

// At most `most` names, nearest first, equal distances in the given order. Names that share too little with `wanted`
// are left out: more than a third of its length (at least 2) away, unless one contains the other.
std::vector<std::string> closest_names(std::string_view wanted, std::span<const std::string> names,
                                       std::size_t most = 3);

// "no layer 'h.1.mpl'; closest: h.1.mlp, h.0.mlp", or without the second half when nothing is close.
std::string unknown_name(std::string_view what, std::string_view wanted, std::span<const std::string> names);

}  // namespace goldentrace
