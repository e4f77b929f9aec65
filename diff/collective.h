// Reductions over ranks as they are recorded: a label whose last part says so, around the reduction.
#pragma once

#include <string_view>

namespace goldentrace {

enum class Collective { none, all_reduce, all_gather, reduce_scatter };

// "layers.0.mlp.dense_4h_to_h.all_reduce". Its input is what a rank brings, its output what comes back.
constexpr Collective collective_of(std::string_view layer) {
  const std::string_view last = layer.substr(layer.rfind('.') + 1);
  if (last == "all_reduce") return Collective::all_reduce;
  if (last == "all_gather") return Collective::all_gather;
  if (last == "reduce_scatter") return Collective::reduce_scatter;
  return Collective::none;
}

}  // namespace goldentrace
