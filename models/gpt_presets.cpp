#include "models/gpt_presets.h"

#include <algorithm>
#include <span>
#include <utility>

#include "models/option_text.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using Setting = std::pair<std::string_view, std::string_view>;

// BigScience's runs tr1-13B, tr10-13B-ml and tr11-200B-ml.
constexpr Setting english_megatron[]{{"num_layers", "40"},
                                     {"hidden_size", "5120"},
                                     {"num_attention_heads", "32"},
                                     {"vocab_size", "50257"},
                                     {"max_position_embeddings", "2048"}};
constexpr Setting english_hf[]{{"n_layer", "40"},       {"n_embd", "5120"},      {"n_head", "32"},
                               {"vocab_size", "50257"}, {"n_positions", "2048"}, {"megatron_mode", "true"}};
constexpr Setting multilingual_megatron[]{{"num_layers", "40"},
                                          {"hidden_size", "5120"},
                                          {"num_attention_heads", "40"},
                                          {"vocab_size", "150000"},
                                          {"max_position_embeddings", "2048"},
                                          {"init_method_std", "0.00884"},
                                          {"attention_dropout", "0"},
                                          {"hidden_dropout", "0"}};
constexpr Setting multilingual_hf[]{{"n_layer", "40"},        {"n_embd", "5120"},      {"n_head", "40"},
                                    {"vocab_size", "150000"}, {"n_positions", "2048"}, {"initializer_range", "0.00884"},
                                    {"embd_pdrop", "0"},      {"attn_pdrop", "0"},     {"resid_pdrop", "0"},
                                    {"megatron_mode", "true"}};
constexpr Setting large_megatron[]{{"num_layers", "80"},
                                   {"hidden_size", "14400"},
                                   {"num_attention_heads", "96"},
                                   {"vocab_size", "250880"},
                                   {"position_embedding_type", "alibi"},
                                   {"embed_layernorm", "true"},
                                   {"init_method_std", "0.005"}};
constexpr Setting large_bloom[]{{"n_layer", "80"},           {"hidden_size", "14400"},       {"n_head", "96"},
                                {"vocab_size", "250880"},    {"initializer_range", "0.005"}, {"hidden_dropout", "0.1"},
                                {"attention_dropout", "0.1"}};

struct Preset {
  std::string_view name;
  GptKind kind;
  std::span<const Setting> settings;
};
constexpr Preset presets[]{
    {"13B-en", GptKind::megatron, english_megatron},      {"13B-en", GptKind::hf, english_hf},
    {"13B-ml", GptKind::megatron, multilingual_megatron}, {"13B-ml", GptKind::hf, multilingual_hf},
    {"200B", GptKind::megatron, large_megatron},          {"200B", GptKind::bloom, large_bloom}};

}  // namespace

std::vector<std::string> gpt_presets() {
  std::vector<std::string> names;
  for (const Preset& preset : presets)
    if (std::ranges::find(names, preset.name) == names.end()) names.emplace_back(preset.name);
  return names;
}

void apply_preset(GptOptions& options, std::string_view name) {
  const auto found = std::ranges::find_if(
      presets, [&](const Preset& preset) { return preset.name == name && preset.kind == options.kind; });
  if (found == std::end(presets)) {
    const bool known = std::ranges::find(presets, name, &Preset::name) != std::end(presets);
    throw Error(ErrorCode::usage, known ? "the shape " + std::string(goldentrace::name(options.kind)) +
                                              " cannot be the preset " + std::string(name)
                                        : "unknown preset " + std::string(name) + "; known: " + joined(gpt_presets()));
  }
  for (const auto& [option, value] : found->settings) set_option(options, option, value);
}

}  // namespace goldentrace
