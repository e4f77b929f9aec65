// Shape and switches of the Megatron-shaped GPT, under the names of Megatron's arguments (--num-layers is num_layers;
// a --no-… flag is the argument that it switches off).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/gpt_dims.h"
#include "models/half_mode.h"
#include "models/layer_norm.h"
#include "models/linear_arithmetic.h"

namespace goldentrace {

enum class MegatronLayers {
  pipe,     // Megatron-DeepSpeed's pipeline module: layers count from 0
  classic,  // Megatron-LM: layers count from 1
};

enum class PositionKind { absolute, rotary, alibi };

enum class GluActivation { liglu, geglu, reglu, swiglu };

enum class MaskFill { finfo_min, minus_10000, minus_inf };

// Which revision's rules of prefix-LM hold. See prefix_lm.h.
enum class PrefixRule { main, older };

// Megatron's own rule and the two faults that it had.
enum class AlibiRule {
  main,
  scaled,   // multiplied by the layer's coefficient
  missing,  // never given to the layers
};

// The type in which rotary positions multiply their frequencies.
enum class RotaryFrequency {
  float32,
  model,  // cast together with the model
};

struct MegatronConfig {
  std::int64_t num_layers = 12;
  std::int64_t hidden_size = 768;
  std::int64_t num_attention_heads = 12;
  std::optional<std::int64_t> ffn_hidden_size;          // none: 4 hidden_size
  std::optional<std::int64_t> kv_channels;              // head size; none: hidden_size / num_attention_heads
  std::optional<std::int64_t> num_query_groups;         // none: each head has its own key and value
  std::int64_t vocab_size = 50257;                      // tokens
  std::int64_t make_vocab_size_divisible_by = 128;      // times the ranks
  std::int64_t tensor_model_parallel_size = 1;          // ranks, here one after another in one process
  std::optional<std::int64_t> pad_vocab_size_to;        // instead of the multiple
  std::optional<std::int64_t> max_position_embeddings;  // of absolute positions; none: 1024
  bool untie_embeddings_and_output_weights = false;
  PositionKind position_embedding_type = PositionKind::absolute;
  bool embed_layernorm = false;
  double layernorm_epsilon = 1e-5;  // the norm of the embedding always has 1e-5
  bool apply_residual_connection_post_layernorm = false;
  bool fp32_residual_connection = false;
  bool apply_query_key_layer_scaling = true;
  bool attention_softmax_in_fp32 = false;  // implied by the line above
  bool masked_softmax_fusion = true;
  std::optional<bool> bias_gelu_fusion;  // none: on unless another activation is asked for
  bool bias_dropout_fusion = true;
  bool openai_gelu = false;
  bool onnx_safe = false;
  std::optional<GluActivation> glu_activation;
  double attention_dropout = 0.1;
  double hidden_dropout = 0.1;
  double init_method_std = 0.02;
  bool init_method_xavier_uniform = false;
  bool fp16_lm_cross_entropy = false;
  bool reset_position_ids = false;
  bool reset_attention_mask = false;
  bool eod_mask_loss = false;
  std::optional<std::int64_t> eod;  // the token that ends a document; none: the last of the vocabulary
  bool prefix_lm = false;           // batches have prefixes; set by the next two as well
  bool loss_on_targets_only = false;
  bool reweight_loss_based_on_position_frequency = false;
  // No arguments of Megatron's:
  MegatronLayers layout = MegatronLayers::pipe;
  bool loss_over_padding = true;  // off: the loss ignores the columns that pad the vocabulary
  MaskFill mask_fill = MaskFill::finfo_min;
  LnVariant ln_variant = LnVariant::honest;
  HalfMode half_mode = HalfMode::native;
  LinearOperands linear_operands = LinearOperands::full;
  PrefixRule prefix_rule = PrefixRule::main;
  AlibiRule alibi_rule = AlibiRule::main;
  RotaryFrequency rotary_inv_freq = RotaryFrequency::float32;

  std::int64_t inner() const { return ffn_hidden_size.value_or(saturating_product(4, hidden_size)); }
  LinearArithmetic linears() const { return {half_mode, linear_operands}; }
  std::int64_t head_dim() const { return kv_channels.value_or(hidden_size / num_attention_heads); }
  std::int64_t groups() const { return num_query_groups.value_or(num_attention_heads); }
  std::int64_t positions() const { return max_position_embeddings.value_or(1024); }
  std::int64_t end_of_document() const { return eod.value_or(vocab_size - 1); }
  std::int64_t padded_vocab() const;
  bool fuses_bias_gelu() const;
  bool has_prefixes() const;
  // The coefficient of query-key layer scaling: max(1, layer number). layer_index from 0.
  double layer_coefficient(std::int64_t layer_index) const;
};

// Sets one field by its name above; hyphens may stand for underscores, and a --no-… flag's name sets the opposite.
// Error(usage) names the known options, or the values that the option takes.
void set_option(MegatronConfig& config, std::string_view option, std::string_view value);

std::vector<std::string> megatron_option_names();

// Every field as text, in the form that set_option takes; for trace headers.
std::map<std::string, std::string> describe(const MegatronConfig& config);

// Error(usage) for a shape that cannot be and for options that exclude each other.
void check(const MegatronConfig& config);

GptDims dims_of(const MegatronConfig& config);

}  // namespace goldentrace
