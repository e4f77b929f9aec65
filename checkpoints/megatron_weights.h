// Megatron checkpoints of any layout, version and tensor-parallel degree, from and to canonical weights.
#pragma once

#include <filesystem>

#include "checkpoints/convert_options.h"
#include "checkpoints/gpt_weights.h"
#include "checkpoints/torch_writer.h"

namespace goldentrace {

// Errors name missing and unexpected keys exactly, and shards that do not fit each other.
GptWeights read_megatron(const std::filesystem::path& path, const ReadOptions& options);

// Error(usage) for a degree that does not divide heads, groups or ffn, for a padded vocabulary that is too small or not
// divisible, and for version 0 or 1 with query groups.
void check_megatron_options(const GptShape& shape, const MegatronOptions& options);

// Writes the files into an existing folder: global_step0 with `latest`, or release with
// latest_checkpointed_iteration.txt.
void write_megatron(const std::filesystem::path& folder, const GptWeights& weights, const MegatronOptions& options,
                    const TorchProgress& progress);

}  // namespace goldentrace
