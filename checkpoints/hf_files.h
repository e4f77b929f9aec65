// The tensor files of a Hugging Face checkpoint: one file, or shards by their index.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkpoints/tensor_file.h"

namespace goldentrace {

// `path`: a folder with model.safetensors, pytorch_model.bin or an index of either, or one such file. All files are
// opened and compared with the index before any is given: Error(not_found) names the shards that are not there, tensors
// that are not in the shard that the index names and shards or tensors that the index does not know.
std::vector<std::shared_ptr<TensorFile>> open_hf_files(const std::filesystem::path& path, UnknownClass unknown);

}  // namespace goldentrace
