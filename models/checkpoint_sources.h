// The tensors of a checkpoint under a model's own keys, before anything is copied.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checkpoints/tensor_source.h"
#include "models/gpt.h"

namespace goldentrace {

struct CheckpointSources {
  std::map<std::string, TensorSource> tensors;  // by the key that named() of gpt_parameters.h gives
  std::vector<std::string> notes;
};

// True when the checkpoint has to be converted to the model's form; else its tensors are taken as they are.
bool needs_conversion(const GptOptions& options);

// Reads no tensor. Errors of checkpoints/, naming the file.
CheckpointSources open_sources(const GptOptions& options);

// Row-major bytes in memory: [shape] of the source's floating dtype.
at::Tensor read_tensor(const TensorSource& source);

}  // namespace goldentrace
