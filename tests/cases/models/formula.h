// The weights of the cases' models: w[i] = 0.3 sin(1 + i k), k = 0.37 + 0.11 n for the n-th tensor of a model.
#pragma once

#include <ATen/core/Tensor.h>

namespace goldentrace {

class Formula {
 public:
  at::Tensor next(at::IntArrayRef shape);  // float32, computed in double and rounded

 private:
  int count_ = 0;
};

}  // namespace goldentrace
