// The edge of a layer in the autograd graph.
#pragma once

#include <ATen/core/Tensor.h>

namespace goldentrace {

// Gives the tensor a gradient function that leads nowhere: it requires a gradient and is no leaf, so that ops may
// write into it; its gradient arrives at that function (tape/backward.h captures it there).
void make_boundary(at::Tensor& tensor);

}  // namespace goldentrace
