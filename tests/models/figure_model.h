// The small GPT at which the published figures were taken: 2 layers, hidden 64, 2 heads, 16 positions, batch 2,
// vocabulary 1000 padded to 1024.
#pragma once

#include <functional>
#include <string>

#include "models/gpt.h"

namespace goldentrace {

// Megatron shape, one step, no dropout, ids (37 r + 11 t + 5) mod 1000, labels those of t + 1.
GptOptions figure_options();

// An Events::parameter listener: normal matrices after seed 42, biases and norms by formula.
std::function<void(const std::string&, const at::Tensor&)> set_figure_weights();

}  // namespace goldentrace
