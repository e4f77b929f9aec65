// The one function that LibTorch's ProcessGroupGloo.hpp calls; it lies in libtorch_cpu.so.
#pragma once

#include <chrono>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

}  // namespace gloo
