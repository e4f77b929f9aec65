// How much of an elementwise gate a pair of tensors used.
#pragma once

#include "diff/gate.h"

namespace goldentrace {

// measured / limit; 0 when both are 0, infinity when only the limit is.
double part_of(double measured, double limit);

// Largest |a-b| / (atol + rtol |a|) over finite pairs. Equal shapes; any real dtypes. One pass.
double elementwise_use(const TensorView& a, const TensorView& b, const Limits& limit);

}  // namespace goldentrace
