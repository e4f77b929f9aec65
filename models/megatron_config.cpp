#include "models/megatron_config.h"

#include <algorithm>

#include "models/option_check.h"
#include "models/option_table.h"

namespace goldentrace {
namespace {

using MegatronOption = ModelOption<MegatronConfig>;
using M = MegatronConfig;

std::vector<MegatronOption> size_options() {
  return {model_option("num_layers", &M::num_layers),
          model_option("hidden_size", &M::hidden_size),
          model_option("num_attention_heads", &M::num_attention_heads),
          model_option("ffn_hidden_size", &M::ffn_hidden_size),
          model_option("kv_channels", &M::kv_channels),
          model_option("num_query_groups", &M::num_query_groups),
          model_option("vocab_size", &M::vocab_size),
          model_option("make_vocab_size_divisible_by", &M::make_vocab_size_divisible_by),
          model_option("tensor_model_parallel_size", &M::tensor_model_parallel_size),
          model_option("pad_vocab_size_to", &M::pad_vocab_size_to),
          model_option("max_position_embeddings", &M::max_position_embeddings)};
}

std::vector<MegatronOption> network_options() {
  return {
      model_option("untie_embeddings_and_output_weights", &M::untie_embeddings_and_output_weights),
      model_option("position_embedding_type", &M::position_embedding_type),
      model_option("embed_layernorm", &M::embed_layernorm),
      model_option("layernorm_epsilon", &M::layernorm_epsilon),
      model_option("apply_residual_connection_post_layernorm", &M::apply_residual_connection_post_layernorm),
      model_option("fp32_residual_connection", &M::fp32_residual_connection),
      model_option("apply_query_key_layer_scaling", &M::apply_query_key_layer_scaling),
      model_option("attention_softmax_in_fp32", &M::attention_softmax_in_fp32),
      model_option("masked_softmax_fusion", &M::masked_softmax_fusion),
      model_option("bias_gelu_fusion", &M::bias_gelu_fusion),
      model_option("bias_dropout_fusion", &M::bias_dropout_fusion),
      model_option("openai_gelu", &M::openai_gelu),
      model_option("onnx_safe", &M::onnx_safe),
      model_option("glu_activation", &M::glu_activation),
      model_option("attention_dropout", &M::attention_dropout),
      model_option("hidden_dropout", &M::hidden_dropout),
      model_option("init_method_std", &M::init_method_std),
      model_option("init_method_xavier_uniform", &M::init_method_xavier_uniform),
  };
}

std::vector<MegatronOption> loss_options() {
  return {
      model_option("fp16_lm_cross_entropy", &M::fp16_lm_cross_entropy),
      model_option("reset_position_ids", &M::reset_position_ids),
      model_option("reset_attention_mask", &M::reset_attention_mask),
      model_option("eod_mask_loss", &M::eod_mask_loss),
      model_option("eod", &M::eod),
      model_option("prefix_lm", &M::prefix_lm),
      model_option("loss_on_targets_only", &M::loss_on_targets_only),
      model_option("reweight_loss_based_on_position_frequency", &M::reweight_loss_based_on_position_frequency),
      model_option("layout", &M::layout),
      model_option("loss_over_padding", &M::loss_over_padding),
      model_option("mask_fill", &M::mask_fill),
      model_option("ln_variant", &M::ln_variant),
      model_option("half_mode", &M::half_mode),
      model_option("linear_operands", &M::linear_operands),
      model_option("prefix_rule", &M::prefix_rule),
      model_option("alibi_rule", &M::alibi_rule),
      model_option("rotary_inv_freq", &M::rotary_inv_freq),
  };
}

const std::vector<MegatronOption>& megatron_options() {
  static const std::vector<MegatronOption> all = [] {
    std::vector<MegatronOption> list = size_options();
    for (const auto& more : {network_options(), loss_options()}) list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

struct Flag {
  std::string_view name, switches_off;
};
constexpr Flag negative_flags[]{{"no_query_key_layer_scaling", "apply_query_key_layer_scaling"},
                                {"no_masked_softmax_fusion", "masked_softmax_fusion"},
                                {"no_bias_gelu_fusion", "bias_gelu_fusion"},
                                {"no_bias_dropout_fusion", "bias_dropout_fusion"}};

std::string opposite(std::string_view option, std::string_view text) {
  bool value = false;
  parse(option, text, value);
  return to_text(!value);
}

// Each rank has its own heads and its own part of the MLP.
void check_ranks(const MegatronConfig& c) {
  require_positive("tensor_model_parallel_size", c.tensor_model_parallel_size);
  for (const auto& [whole, value] :
       {std::pair{"num_attention_heads", c.num_attention_heads}, std::pair{"num_query_groups", c.groups()},
        std::pair{"ffn_hidden_size", c.inner()}})
    require_divides("tensor_model_parallel_size", c.tensor_model_parallel_size, whole, value);
}

// What the command line says in another place.
std::string hint_for(std::string_view name) {
  if (name == "fp16" || name == "bf16") return "choose it with --dtype";
  if (name == "seq_length") return "choose it with --seq";
  if (name == "micro_batch_size") return "choose it with --batch";
  if (name == "seed" || name == "lr" || name == "optimizer") return "choose it with --" + std::string(name);
  return "";
}

void check_megatron_sizes(const MegatronConfig& c) {
  require_positive("num_layers", c.num_layers);
  require_positive("hidden_size", c.hidden_size);
  require_positive("num_attention_heads", c.num_attention_heads);
  require_positive("vocab_size", c.vocab_size);
  require_positive("make_vocab_size_divisible_by", c.make_vocab_size_divisible_by);
  if (c.ffn_hidden_size) require_positive("ffn_hidden_size", *c.ffn_hidden_size);
  if (c.kv_channels) require_positive("kv_channels", *c.kv_channels);
  if (c.num_query_groups) require_positive("num_query_groups", *c.num_query_groups);
  if (c.max_position_embeddings) require_positive("max_position_embeddings", *c.max_position_embeddings);
  require_divides("num_attention_heads", c.num_attention_heads, "hidden_size", c.hidden_size);
  check_ranks(c);
  require_divides("num_query_groups", c.groups(), "num_attention_heads", c.num_attention_heads);
  if (c.pad_vocab_size_to)
    require(*c.pad_vocab_size_to >= c.vocab_size, "pad_vocab_size_to " + std::to_string(*c.pad_vocab_size_to) +
                                                      " is smaller than vocab_size " + std::to_string(c.vocab_size));
  if (c.eod) require(*c.eod >= 0 && *c.eod < c.vocab_size, "eod is outside the vocabulary");
}

void check_numbers(const MegatronConfig& c) {
  require_probability("attention_dropout", c.attention_dropout);
  require_probability("hidden_dropout", c.hidden_dropout);
  require_not_negative("layernorm_epsilon", c.layernorm_epsilon);
  require_not_negative("init_method_std", c.init_method_std);
}

void require_apart(bool first, const std::string& first_name, bool second, const std::string& second_name) {
  require(!first || !second, first_name + " and " + second_name + " exclude each other");
}

// What one would silently win over the other.
void check_pairs(const MegatronConfig& c) {
  const bool fusion = c.bias_gelu_fusion.value_or(false), glu = c.glu_activation.has_value();
  require_apart(fusion, "bias_gelu_fusion", glu, "glu_activation");
  require_apart(fusion, "bias_gelu_fusion", c.openai_gelu, "openai_gelu");
  require_apart(fusion, "bias_gelu_fusion", c.onnx_safe, "onnx_safe");
  require_apart(c.openai_gelu, "openai_gelu", c.onnx_safe, "onnx_safe");
  require_apart(glu, "glu_activation", c.openai_gelu || c.onnx_safe, "openai_gelu or onnx_safe");
  const std::string positions = to_text(c.position_embedding_type) + " positions";
  const bool absolute = c.position_embedding_type == PositionKind::absolute;
  require_apart(c.position_embedding_type == PositionKind::rotary, positions, c.max_position_embeddings.has_value(),
                "max_position_embeddings");
  require_apart(!absolute, positions, c.reset_position_ids, "reset_position_ids");
  require_apart(c.position_embedding_type != PositionKind::alibi, positions, c.alibi_rule != AlibiRule::main,
                "alibi_rule " + to_text(c.alibi_rule));
  require_apart(c.position_embedding_type != PositionKind::rotary, positions,
                c.rotary_inv_freq != RotaryFrequency::float32, "rotary_inv_freq " + to_text(c.rotary_inv_freq));
  require(c.has_prefixes() || c.prefix_rule == PrefixRule::main,
          "prefix_rule " + to_text(c.prefix_rule) + " needs prefix_lm");
}

}  // namespace

std::int64_t MegatronConfig::padded_vocab() const {
  if (pad_vocab_size_to) return *pad_vocab_size_to;
  const std::int64_t multiple = saturating_product(make_vocab_size_divisible_by, tensor_model_parallel_size);
  const std::int64_t rest = vocab_size % multiple;
  return rest == 0 ? vocab_size : saturating_sum(vocab_size - rest, multiple);
}

bool MegatronConfig::fuses_bias_gelu() const {
  return bias_gelu_fusion.value_or(!glu_activation && !openai_gelu && !onnx_safe);
}

bool MegatronConfig::has_prefixes() const {
  return prefix_lm || loss_on_targets_only || reweight_loss_based_on_position_frequency;
}

double MegatronConfig::layer_coefficient(std::int64_t layer_index) const {
  if (!apply_query_key_layer_scaling) return 1;
  const std::int64_t number = layout == MegatronLayers::classic ? layer_index + 1 : layer_index;
  return static_cast<double>(std::max<std::int64_t>(1, number));
}

void set_option(MegatronConfig& config, std::string_view option, std::string_view value) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  if (const std::string hint = hint_for(name); !hint.empty())
    throw Error(ErrorCode::usage, name + " is no option of the model: " + hint);
  const auto flag = std::ranges::find(negative_flags, name, &Flag::name);
  if (flag == std::end(negative_flags)) return set_option(megatron_options(), config, name, value);
  set_option(megatron_options(), config, flag->switches_off, opposite(option, value));
}

std::vector<std::string> megatron_option_names() { return names_of(megatron_options()); }

std::map<std::string, std::string> describe(const MegatronConfig& config) {
  return describe(megatron_options(), config);
}

void check(const MegatronConfig& config) {
  check_megatron_sizes(config);
  check_numbers(config);
  check_pairs(config);
}

GptDims dims_of(const MegatronConfig& c) {
  return {.vocab = c.padded_vocab(),
          .positions = c.position_embedding_type == PositionKind::absolute ? c.positions() : 0,
          .hidden = c.hidden_size,
          .layers = c.num_layers,
          .heads = c.num_attention_heads,
          .attention = saturating_product(c.num_attention_heads, c.head_dim()),
          .query_key_value = saturating_product(
              saturating_sum(c.num_attention_heads, saturating_product(2, c.groups())), c.head_dim()),
          .inner = c.inner(),
          .mlp_in = c.glu_activation ? saturating_product(2, c.inner()) : c.inner(),
          .embedding_norm = c.embed_layernorm,
          .tied_head = !c.untie_embeddings_and_output_weights};
}

}  // namespace goldentrace
