// What a GPT checkpoint says about its model: sizes and the options that decide how weights are laid out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldentrace {

enum class Positions { absolute, rotary, alibi };

std::string_view name(Positions positions);

// The activation under transformers' names.
enum class GptActivation { gelu_new, gelu_fast, gelu };

std::string_view name(GptActivation activation);

struct GptShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t groups = 0;    // of key and value heads; equal to heads without grouping
  std::int64_t ffn = 0;       // of one half where the activation is gated
  std::int64_t vocab = 0;     // rows of the embedding that are tokens
  std::int64_t sequence = 0;  // rows of the position table; without one the length of training, 0 when it is not known
  Positions positions = Positions::absolute;
  GptActivation activation = GptActivation::gelu_new;
  std::string glu;  // "swiglu" …; empty: not gated
  double epsilon = 1e-5;
  double hidden_dropout = 0.1, attention_dropout = 0.1;
  bool embed_norm = false;
  bool tied_head = true;
  bool post_norm_residual = false;
  bool prefix_masks = false;  // prefix-LM: part of the sequence sees itself whole

  std::int64_t head_size() const { return hidden / heads; }
  std::int64_t queries() const { return heads / groups; }  // of each group
  std::int64_t query_key_value_rows() const { return (heads + 2 * groups) * head_size(); }
  std::int64_t ffn_rows() const { return glu.empty() ? ffn : 2 * ffn; }
};

// Error(incomparable) for sizes that cannot be: below 1, heads that do not divide.
void check(const GptShape& shape);

// A tensor that the model has, under the canonical name, which is Megatron's: "word_embeddings.weight",
// "layers.3.mlp.dense_h_to_4h.bias", "head.weight" (only when the head is its own).
struct ParameterShape {
  std::string key;
  std::int64_t rows = 0, columns = 0;
  bool vector = false;
};
std::vector<ParameterShape> parameters_of(const GptShape& shape);

}  // namespace goldentrace
