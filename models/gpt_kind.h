// The three GPTs: one architecture under the names, layouts and orders of operations of three programs.
#pragma once

#include <string_view>

namespace goldentrace {

enum class GptKind {
  hf,        // transformers' GPT-2
  megatron,  // Megatron-LM, Megatron-DeepSpeed
  bloom,     // transformers' BLOOM
};

std::string_view name(GptKind kind);
GptKind parse_gpt_kind(std::string_view name);  // Error(usage) for any other name

}  // namespace goldentrace
