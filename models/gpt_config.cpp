#include "models/gpt_config.h"

#include "models/option_check.h"
#include "models/option_table.h"

namespace goldentrace {
namespace {

using Option = ModelOption<GptConfig>;

template <class T>
Option field(const std::string& name, T GptConfig::*member) {
  return model_option(name, member);
}

constexpr MegatronMode all_switches{true, true, true, true, true, true};

Option megatron_mode(const std::string& name, bool MegatronMode::*member) {
  return {name, [=](GptConfig& c, std::string_view value) { parse(name, value, c.megatron_mode.*member); },
          [=](const GptConfig& c) { return to_text(c.megatron_mode.*member); }};
}

Option whole_megatron_mode() {
  const auto set = [](GptConfig& c, std::string_view value) {
    bool on = false;
    parse("megatron_mode", value, on);
    c.megatron_mode = on ? all_switches : MegatronMode{};
  };
  return {"megatron_mode", set, [](const GptConfig& c) { return to_text(c.megatron_mode == all_switches); }};
}

const std::vector<Option>& options() {
  static const std::vector<Option> all{
      field("vocab_size", &GptConfig::vocab_size),
      field("n_positions", &GptConfig::n_positions),
      field("n_embd", &GptConfig::n_embd),
      field("n_layer", &GptConfig::n_layer),
      field("n_head", &GptConfig::n_head),
      field("n_inner", &GptConfig::n_inner),
      field("activation_function", &GptConfig::activation_function),
      field("layer_norm_epsilon", &GptConfig::layer_norm_epsilon),
      field("embd_pdrop", &GptConfig::embd_pdrop),
      field("attn_pdrop", &GptConfig::attn_pdrop),
      field("resid_pdrop", &GptConfig::resid_pdrop),
      field("initializer_range", &GptConfig::initializer_range),
      field("scale_attn_weights", &GptConfig::scale_attn_weights),
      field("scale_attn_by_inverse_layer_idx", &GptConfig::scale_attn_by_inverse_layer_idx),
      field("reorder_and_upcast_attn", &GptConfig::reorder_and_upcast_attn),
      field("tie_word_embeddings", &GptConfig::tie_word_embeddings),
      field("score_rule", &GptConfig::score_rule),
      field("mask_rule", &GptConfig::mask_rule),
      field("mask_fill", &GptConfig::mask_fill),
      field("ln_variant", &GptConfig::ln_variant),
      field("half_mode", &GptConfig::half_mode),
      field("linear_operands", &GptConfig::linear_operands),
      whole_megatron_mode(),
      megatron_mode("megatron_mode.ln", &MegatronMode::ln),
      megatron_mode("megatron_mode.gelu", &MegatronMode::gelu),
      megatron_mode("megatron_mode.scores", &MegatronMode::scores),
      megatron_mode("megatron_mode.bias", &MegatronMode::bias),
      megatron_mode("megatron_mode.bda", &MegatronMode::bda),
      megatron_mode("megatron_mode.softmax", &MegatronMode::softmax),
  };
  return all;
}

}  // namespace

void set_option(GptConfig& config, std::string_view option, std::string_view value) {
  set_option(options(), config, option, value);
}

std::vector<std::string> gpt_option_names() { return names_of(options()); }

std::map<std::string, std::string> describe(const GptConfig& config) { return describe(options(), config); }

void check(const GptConfig& c) {
  require_positive("vocab_size", c.vocab_size);
  require_positive("n_positions", c.n_positions);
  require_positive("n_embd", c.n_embd);
  require_positive("n_layer", c.n_layer);
  require_positive("n_head", c.n_head);
  if (c.n_inner) require_positive("n_inner", *c.n_inner);
  require_divides("n_head", c.n_head, "n_embd", c.n_embd);
  require_probability("embd_pdrop", c.embd_pdrop);
  require_probability("attn_pdrop", c.attn_pdrop);
  require_probability("resid_pdrop", c.resid_pdrop);
  require_not_negative("layer_norm_epsilon", c.layer_norm_epsilon);
  require_not_negative("initializer_range", c.initializer_range);
  require(!c.megatron_mode.scores || !c.reorder_and_upcast_attn,
          "megatron_mode.scores and reorder_and_upcast_attn exclude each other");
  require(!c.megatron_mode.scores || c.score_rule == ScoreRule::multiply,
          "megatron_mode.scores and score_rule exclude each other");
  require(c.mask_rule != MaskRule::none || !c.mask_fill, "mask_rule none and mask_fill exclude each other");
  require(!c.megatron_mode.ln || c.ln_variant == LnVariant::honest,
          "megatron_mode.ln and ln_variant exclude each other");
  require(!c.megatron_mode.gelu || c.activation_function == Activation::gelu_new,
          "megatron_mode.gelu and activation_function exclude each other");
}

GptDims dims_of(const GptConfig& c) {
  return {.vocab = c.vocab_size,
          .positions = c.n_positions,
          .hidden = c.n_embd,
          .layers = c.n_layer,
          .heads = c.n_head,
          .attention = c.n_embd,
          .query_key_value = saturating_product(3, c.n_embd),
          .inner = c.inner(),
          .mlp_in = c.inner(),
          .embedding_norm = false,
          .tied_head = c.tie_word_embeddings,
          .layout = LinearLayout::in_first};
}

}  // namespace goldentrace
