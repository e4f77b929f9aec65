// Fills a GPT from a checkpoint of any kind.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/gpt.h"
#include "models/gpt_parameters.h"

namespace goldentrace {

// Copies every tensor of options.checkpoint into the parameters, converting floating dtypes. It is one of
//
// * for hf and bloom: a folder or file of tensors under transformers' keys (safetensors or torch.save, in shards or
//   not). Keys may lack the prefix "transformer."; mask buffers of old files are dropped. A tied head may be absent,
//   may be there besides the embedding (which wins), or may stand alone for both.
// * for megatron: a file of tensors under canonical keys (gpt_parameters.h), or a transformers checkpoint with its
//   config.json; the embedding is padded by repeating its last row.
// * for all: a Megatron checkpoint directory of any layout, version and degree; padding of the vocabulary is cut for hf
//   and bloom.
//
// Returns notes about what was dropped or odd. Nothing is copied unless the whole checkpoint fits: Error(not_found)
// lists all missing and unexpected keys, Error(incomparable) names a tensor of another shape or of a dtype that is no
// floating one.
std::vector<std::string> load_checkpoint(const GptOptions& options, const GptParameters& parameters);

// Sets sizes and options of the shape's configuration to what options.checkpoint says: config.json, or Megatron's
// arguments and tensors. Leaves them alone when it says nothing, as a single file of tensors does.
void adopt_checkpoint(GptOptions& options);

}  // namespace goldentrace
