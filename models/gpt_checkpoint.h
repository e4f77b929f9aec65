// Fills a GPT from a .safetensors file with transformers' keys.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/gpt_parameters.h"

namespace goldentrace {

// Copies every tensor of the file into the parameters, converting floating dtypes. Keys may lack the prefix
// "transformer."; the mask buffers of old files (attn.bias, attn.masked_bias) are dropped. A tied head may be absent,
// may be there besides wte (wte wins), or may stand alone for both. Returns notes about what was dropped or odd.
//
// Nothing is copied unless the whole file fits: Error(not_found) lists all missing and unexpected keys,
// Error(incomparable) names a tensor of another shape or of a dtype that is no floating one.
std::vector<std::string> load_checkpoint(const std::filesystem::path& path, const GptParameters& parameters);

}  // namespace goldentrace
