// What a checkpoint holds, for showing: kind, files and tensors, nothing read but headers and pickles.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkpoints/tensor_file.h"

namespace goldentrace {

struct CheckpointListing {
  std::string kind;  // "Hugging Face", "Megatron-DeepSpeed", "Megatron-LM", "safetensors", "torch.save"
  std::vector<std::shared_ptr<TensorFile>> files;
  std::vector<std::string> notes;  // why config.json of a Hugging Face folder is of no use
};

// A folder, a zip archive, or a file with one of the endings of checkpoints.
bool looks_like_checkpoint(const std::filesystem::path& path);

// Errors of the readers; Error(not_found) for a folder without a checkpoint.
CheckpointListing list_checkpoint(const std::filesystem::path& path, UnknownClass unknown = UnknownClass::refuse);

}  // namespace goldentrace
