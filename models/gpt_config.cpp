#include "models/gpt_config.h"

#include <algorithm>
#include <functional>

#include "models/option_check.h"
#include "models/option_text.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

struct Option {
  std::string name;
  std::function<void(GptConfig&, std::string_view value)> set;
  std::function<std::string(const GptConfig&)> text;
};

template <class T>
Option field(const std::string& name, T GptConfig::*member) {
  return {name, [=](GptConfig& config, std::string_view value) { parse(name, value, config.*member); },
          [=](const GptConfig& config) { return to_text(config.*member); }};
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
  };
  return all;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void require_probability(const std::string& option, double value) {
  require(value >= 0 && value < 1, option + " must be in [0, 1)");
}

}  // namespace

void set_option(GptConfig& config, std::string_view option, std::string_view value) {
  const auto found = std::ranges::find(options(), option, &Option::name);
  if (found == options().end())
    throw Error(ErrorCode::usage, "unknown option " + std::string(option) + "; known: " + joined(gpt_option_names()));
  found->set(config, value);
}

std::vector<std::string> gpt_option_names() {
  std::vector<std::string> names;
  for (const Option& option : options()) names.push_back(option.name);
  return names;
}

std::map<std::string, std::string> describe(const GptConfig& config) {
  std::map<std::string, std::string> texts;
  for (const Option& option : options()) texts.emplace(option.name, option.text(config));
  return texts;
}

void check(const GptConfig& c) {
  require_positive("vocab_size", c.vocab_size);
  require_positive("n_positions", c.n_positions);
  require_positive("n_embd", c.n_embd);
  require_positive("n_layer", c.n_layer);
  require_positive("n_head", c.n_head);
  if (c.n_inner) require_positive("n_inner", *c.n_inner);
  require(c.n_embd % c.n_head == 0, "n_head " + std::to_string(c.n_head) + " does not divide n_embd " +
                                        std::to_string(c.n_embd) + "; choose sizes that divide");
  require_probability("embd_pdrop", c.embd_pdrop);
  require_probability("attn_pdrop", c.attn_pdrop);
  require_probability("resid_pdrop", c.resid_pdrop);
  require(c.layer_norm_epsilon >= 0, "layer_norm_epsilon must not be negative");
  require_finite("layer_norm_epsilon", c.layer_norm_epsilon);
  require(c.initializer_range >= 0, "initializer_range must not be negative");
  require_finite("initializer_range", c.initializer_range);
}

double parameter_count(const GptConfig& c) {
  const double h = static_cast<double>(c.n_embd), inner = c.n_inner ? static_cast<double>(*c.n_inner) : 4 * h;
  const double block = 2 * h + h * 3 * h + 3 * h + h * h + h + 2 * h + h * inner + inner + inner * h + h;
  const double tables =
      (c.tie_word_embeddings ? 1 : 2) * static_cast<double>(c.vocab_size) + static_cast<double>(c.n_positions);
  return tables * h + static_cast<double>(c.n_layer) * block + 2 * h;
}

}  // namespace goldentrace
