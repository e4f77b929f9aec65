// Tensors of a small GPT and a small MLP, recorded by the commands in $GOLDENTRACE_BIN.
#pragma once

#include <string>
#include <vector>

namespace goldentrace::testing {

struct TensorSample {
  std::string name;
  std::vector<float> values;
  std::size_t columns;  // the last axis
};

// `count` different float32 tensors of two and more dimensions, 2,048 to 300,000 elements and a norm above 0, evenly
// picked from both runs. Throws std::runtime_error when a command fails or there are fewer.
std::vector<TensorSample> recorded_tensors(std::size_t count);

}  // namespace goldentrace::testing
