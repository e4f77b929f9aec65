#include "models/bloom_config.h"

#include "models/option_check.h"
#include "models/option_table.h"

namespace goldentrace {
namespace {

using B = BloomConfig;

const std::vector<ModelOption<BloomConfig>>& bloom_options() {
  static const std::vector<ModelOption<BloomConfig>> all{
      model_option("vocab_size", &B::vocab_size),
      model_option("hidden_size", &B::hidden_size),
      model_option("n_layer", &B::n_layer),
      model_option("n_head", &B::n_head),
      model_option("layer_norm_epsilon", &B::layer_norm_epsilon),
      model_option("initializer_range", &B::initializer_range),
      model_option("apply_residual_connection_post_layernorm", &B::apply_residual_connection_post_layernorm),
      model_option("hidden_dropout", &B::hidden_dropout),
      model_option("attention_dropout", &B::attention_dropout),
      model_option("pretraining_tp", &B::pretraining_tp),
      model_option("slow_but_exact", &B::slow_but_exact),
      model_option("tie_word_embeddings", &B::tie_word_embeddings),
      model_option("slow_bias", &B::slow_bias),
      model_option("scores", &B::scores),
      model_option("half_mode", &B::half_mode),
      model_option("linear_operands", &B::linear_operands),
  };
  return all;
}

}  // namespace

void set_option(BloomConfig& config, std::string_view option, std::string_view value) {
  set_option(bloom_options(), config, option, value);
}

std::vector<std::string> bloom_option_names() { return names_of(bloom_options()); }

std::map<std::string, std::string> describe(const BloomConfig& config) { return describe(bloom_options(), config); }

void check(const BloomConfig& c) {
  require_positive("vocab_size", c.vocab_size);
  require_positive("hidden_size", c.hidden_size);
  require_positive("n_layer", c.n_layer);
  require_positive("n_head", c.n_head);
  require_positive("pretraining_tp", c.pretraining_tp);
  require_divides("n_head", c.n_head, "hidden_size", c.hidden_size);
  require_probability("hidden_dropout", c.hidden_dropout);
  require_probability("attention_dropout", c.attention_dropout);
  require_not_negative("layer_norm_epsilon", c.layer_norm_epsilon);
  require_not_negative("initializer_range", c.initializer_range);
  if (c.slow_but_exact) require_divides("pretraining_tp", c.pretraining_tp, "hidden_size", c.hidden_size);
  require(c.slow_bias == SlowBias::added || (c.slow_but_exact && c.pretraining_tp > 1),
          "slow_bias=dropped needs slow_but_exact=true and pretraining_tp above 1");
}

GptDims dims_of(const BloomConfig& c) {
  const std::int64_t inner = saturating_product(4, c.hidden_size);
  return {.vocab = c.vocab_size,
          .positions = 0,
          .hidden = c.hidden_size,
          .layers = c.n_layer,
          .heads = c.n_head,
          .attention = c.hidden_size,
          .query_key_value = saturating_product(3, c.hidden_size),
          .inner = inner,
          .mlp_in = inner,
          .embedding_norm = true,
          .tied_head = c.tie_word_embeddings};
}

}  // namespace goldentrace
