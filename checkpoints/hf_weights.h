// Hugging Face checkpoints of GPT-2 and BLOOM, from and to canonical weights.
#pragma once

#include <filesystem>

#include "checkpoints/convert_options.h"
#include "checkpoints/gpt_weights.h"
#include "checkpoints/hf_config.h"
#include "checkpoints/safetensors_writer.h"

namespace goldentrace {

// `path`: a folder with config.json and tensor files, or a tensor file with config.json beside it. Keys may lack the
// prefix "transformer."; mask buffers of old files are dropped with a note; a tied head may stand alone or be there
// twice. Errors name missing and unexpected keys exactly.
GptWeights read_hf(const std::filesystem::path& path, const ReadOptions& options);

// A canonical parameter in GPT-2's form: Conv1D weights, query_key_value in thirds.
StoredParameter gpt2_parameter(const std::string& canonical_key, StoredParameter parameter, const GptShape& shape);

// config.json and safetensors (sharded beyond options.shard_bytes) into an existing folder. Error(unsupported) for a
// shape that transformers lacks. `tokenizer_class`: empty when it is not known.
void write_hf(const std::filesystem::path& folder, const GptWeights& weights, const HfOptions& options,
              const WriteProgress& progress);

}  // namespace goldentrace
