#include "checkpoints/hf_names.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace goldentrace {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;  // canonical, transformers'; without weight or bias

constexpr std::array<Pair, 4> gpt2_top{
    {{"word_embeddings", "wte"}, {"position_embeddings", "wpe"}, {"final_layernorm", "ln_f"}, {"head", "lm_head"}}};
constexpr std::array<Pair, 4> bloom_top{{{"word_embeddings", "word_embeddings"},
                                         {"word_embeddings.norm", "word_embeddings_layernorm"},
                                         {"final_layernorm", "ln_f"},
                                         {"head", "lm_head"}}};
constexpr std::array<Pair, 6> gpt2_layer{{{"input_layernorm", "ln_1"},
                                          {"self_attention.query_key_value", "attn.c_attn"},
                                          {"self_attention.dense", "attn.c_proj"},
                                          {"post_attention_layernorm", "ln_2"},
                                          {"mlp.dense_h_to_4h", "mlp.c_fc"},
                                          {"mlp.dense_4h_to_h", "mlp.c_proj"}}};
constexpr std::array<Pair, 6> bloom_layer{{{"input_layernorm", "input_layernorm"},
                                           {"self_attention.query_key_value", "self_attention.query_key_value"},
                                           {"self_attention.dense", "self_attention.dense"},
                                           {"post_attention_layernorm", "post_attention_layernorm"},
                                           {"mlp.dense_h_to_4h", "mlp.dense_h_to_4h"},
                                           {"mlp.dense_4h_to_h", "mlp.dense_4h_to_h"}}};
constexpr std::string_view canonical_layers = "layers.", hf_layers = "h.";

std::span<const Pair> top(HfModel model) { return model == HfModel::gpt2 ? gpt2_top : bloom_top; }
std::span<const Pair> layer(HfModel model) { return model == HfModel::gpt2 ? gpt2_layer : bloom_layer; }

std::optional<std::string_view> partner(std::span<const Pair> pairs, std::string_view name, bool canonical) {
  for (const auto& [ours, theirs] : pairs)
    if ((canonical ? ours : theirs) == name) return canonical ? theirs : ours;
  return std::nullopt;
}

// Length of "3." at the start of the text; 0 when there is no such number.
std::size_t number_length(std::string_view text) {
  const std::size_t dot = text.find('.');
  const bool digits = dot != std::string_view::npos && dot > 0 && dot <= 9 &&
                      std::ranges::all_of(text.substr(0, dot), [](char c) { return c >= '0' && c <= '9'; });
  const bool canonical_number = digits && (dot == 1 || text[0] != '0');
  return canonical_number ? dot + 1 : 0;
}

// `key` with its name replaced by its partner; `from` and `to` begin the keys of layers.
std::optional<std::string> translate(HfModel model, std::string_view key, bool canonical) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view from = canonical ? canonical_layers : hf_layers, to = canonical ? hf_layers : canonical_layers;
  const std::string_view name = key.substr(0, dot);
  const std::size_t number = name.starts_with(from) ? number_length(name.substr(from.size())) : 0;
  const std::string_view inner = number > 0 ? name.substr(from.size() + number) : name;
  const auto found = partner(number > 0 ? layer(model) : top(model), inner, canonical);
  if (!found) return std::nullopt;
  std::string text = number > 0 ? std::string(to) + std::string(name.substr(from.size(), number)) : std::string();
  return text.append(*found).append(key.substr(dot));
}

}  // namespace

std::string hf_key(HfModel model, std::string_view canonical) {
  const std::string key = *translate(model, canonical, true);
  return key == hf_head ? key : std::string(hf_prefix) + key;
}

std::optional<std::string> canonical_key(HfModel model, std::string_view key) {
  if (key.starts_with(hf_prefix)) key.remove_prefix(hf_prefix.size());
  return translate(model, key, false);
}

bool is_mask_buffer(std::string_view key) { return key.ends_with(".attn.bias") || key.ends_with(".attn.masked_bias"); }

}  // namespace goldentrace
