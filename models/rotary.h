// Rotary positions: pairs of elements half a head apart are turned by an angle that grows with the position.
//
// Su et al., "RoFormer"; the pairing is GPT-NeoX's and Megatron's.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/megatron_config.h"

namespace goldentrace {

// x [s, b·n, d] -> x cos + (-second half, first half) sin, of the same shape and type. `frequency`: the type in which
// position times 10000^(-2i/d) is computed; cosines and sines are rounded to the type of x in either case.
at::Tensor rotated(const at::Tensor& x, RotaryFrequency frequency);

}  // namespace goldentrace
