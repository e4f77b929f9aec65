// Shape and switches of the Hugging Face-shaped GPT-2, under the names of its config.json.
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

// Five forms of one function; docs in activation.h.
enum class Activation { gelu_new, gelu_fast, gelu, gelu_pytorch_tanh, quick_gelu };

enum class ScoreRule {
  multiply,  // matmul, times one scalar: transformers 5
  divide,    // matmul, divided by sqrt(head size) in the model's dtype, then by the layer number: transformers 4
};

// Which keys a query sees. All but `causal` are faults that real converters made.
enum class MaskRule {
  causal,    // key <= query
  none,      // every key
  inverted,  // key >= query
  shifted,   // key <= query + 1
};

// What Megatron computes otherwise than transformers: each switch on takes Megatron's way for one of them.
struct MegatronMode {
  bool ln = false;       // layer norms: moments in float32, one rounding, whatever ln_variant
  bool gelu = false;     // 0.79788456 form, the bias (if it is separate) added inside, one rounding
  bool scores = false;   // one baddbmm that scales
  bool bias = false;     // projections without their bias, which is added where Megatron adds it
  bool bda = false;      // x + bias + residual with one rounding
  bool softmax = false;  // in float32 and back

  bool operator==(const MegatronMode&) const = default;
};

struct GptConfig {
  std::int64_t vocab_size = 50257;
  std::int64_t n_positions = 1024;
  std::int64_t n_embd = 768;
  std::int64_t n_layer = 12;
  std::int64_t n_head = 12;
  std::optional<std::int64_t> n_inner;  // none: 4 n_embd
  Activation activation_function = Activation::gelu_new;
  double layer_norm_epsilon = 1e-5;
  double embd_pdrop = 0.1;
  double attn_pdrop = 0.1;
  double resid_pdrop = 0.1;
  double initializer_range = 0.02;
  bool scale_attn_weights = true;
  bool scale_attn_by_inverse_layer_idx = false;
  bool reorder_and_upcast_attn = false;
  bool tie_word_embeddings = true;
  // Not in config.json:
  ScoreRule score_rule = ScoreRule::multiply;
  MaskRule mask_rule = MaskRule::causal;
  std::optional<double> mask_fill;  // none: the lowest finite value of the model's dtype
  MegatronMode megatron_mode;
  LnVariant ln_variant = LnVariant::honest;  // without megatron_mode.ln
  HalfMode half_mode = HalfMode::native;
  LinearOperands linear_operands = LinearOperands::full;

  std::int64_t inner() const { return n_inner.value_or(saturating_product(4, n_embd)); }
  LinearArithmetic linears() const { return {half_mode, linear_operands}; }
  std::int64_t head_dim() const { return n_embd / n_head; }
};

// Sets one field by its name above, megatron_mode.ln … megatron_mode.softmax or, all six at once, megatron_mode;
// Error(usage) names the known options, or the values that the option takes.
void set_option(GptConfig& config, std::string_view option, std::string_view value);

std::vector<std::string> gpt_option_names();

// Every field as text, in the form that set_option takes; for trace headers.
std::map<std::string, std::string> describe(const GptConfig& config);

// Error(usage) for a shape that cannot be: sizes below 1, heads that do not divide, probabilities outside [0, 1).
void check(const GptConfig& config);

GptDims dims_of(const GptConfig& config);

}  // namespace goldentrace
