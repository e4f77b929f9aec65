// Writes .safetensors files and sharded sets of them, tensor by tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "checkpoints/tensor_source.h"

namespace goldentrace {

// Bytes of tensors written so far in this call.
using WriteProgress = std::function<void(std::uint64_t done)>;

// One file; tensors keep their order. Appears under its name when it is whole. Error(usage) for equal names, for a
// dtype that the format lacks and for a source of the wrong size; Error(input_output).
void write_safetensors_file(const std::filesystem::path& path, const std::vector<TensorSource>& tensors,
                            const WriteProgress& progress);

// model.safetensors, or model-00001-of-0000N.safetensors with model.safetensors.index.json when the tensors take more
// than `shard_bytes`: a new shard begins where the next tensor would not fit. Errors as above.
void write_sharded_safetensors(const std::filesystem::path& folder, const std::vector<TensorSource>& tensors,
                               std::uint64_t shard_bytes, const WriteProgress& progress);

}  // namespace goldentrace
