// Shape and switches of the BLOOM-shaped GPT, under the names of its config.json.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/gpt_dims.h"
#include "models/half_mode.h"
#include "models/linear_arithmetic.h"

namespace goldentrace {

// What slow_but_exact does with the biases of `dense` and `dense_4h_to_h`.
enum class SlowBias {
  added,
  dropped,  // as transformers 5.24.0 does: a fault
};

// How scores are scaled and masked.
enum class BloomScores {
  current,        // transformers 5: beta 1, alpha 1/sqrt(head size), an additive mask
  first_release,  // beta and alpha divided by the layer number, undone in float32; masked entries filled
};

struct BloomConfig {
  std::int64_t vocab_size = 250880;
  std::int64_t hidden_size = 64;
  std::int64_t n_layer = 2;
  std::int64_t n_head = 8;
  double layer_norm_epsilon = 1e-5;
  double initializer_range = 0.02;
  bool apply_residual_connection_post_layernorm = false;
  double hidden_dropout = 0;
  double attention_dropout = 0;
  std::int64_t pretraining_tp = 1;
  bool slow_but_exact = false;
  bool tie_word_embeddings = true;
  // Not in config.json:
  SlowBias slow_bias = SlowBias::added;
  BloomScores scores = BloomScores::current;
  HalfMode half_mode = HalfMode::native;
  LinearOperands linear_operands = LinearOperands::full;

  LinearArithmetic linears() const { return {half_mode, linear_operands}; }
  std::int64_t head_dim() const { return hidden_size / n_head; }
};

// Sets one field by its name above; Error(usage) names the known options, or the values that the option takes.
void set_option(BloomConfig& config, std::string_view option, std::string_view value);

std::vector<std::string> bloom_option_names();

// Every field as text, in the form that set_option takes; for trace headers.
std::map<std::string, std::string> describe(const BloomConfig& config);

// Error(usage) for a shape that cannot be and for options that need each other.
void check(const BloomConfig& config);

GptDims dims_of(const BloomConfig& config);

}  // namespace goldentrace
