// Keys of transformers' GPT-2 and BLOOM and the canonical keys they hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checkpoints/hf_config.h"

namespace goldentrace {

inline constexpr std::string_view hf_prefix = "transformer.";  // some files lack it
inline constexpr std::string_view hf_head = "lm_head.weight";

// "transformer.h.3.attn.c_attn.weight" for "layers.3.self_attention.query_key_value.weight".
std::string hf_key(HfModel model, std::string_view canonical);

// The inverse; nothing for a key that the model does not have. Takes keys with and without the prefix.
std::optional<std::string> canonical_key(HfModel model, std::string_view key);

// Buffers that old files carry: attn.bias (the causal triangle) and attn.masked_bias.
bool is_mask_buffer(std::string_view key);

}  // namespace goldentrace
