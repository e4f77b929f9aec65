#include "checkpoints/gpt_shape.h"

#include <array>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::array<std::string_view, 3> position_names{"absolute", "rotary", "alibi"};
constexpr std::array<std::string_view, 3> activation_names{"gelu_new", "gelu_fast", "gelu"};
constexpr std::int64_t largest = std::int64_t{1} << 31;  // of any size; products of two stay far from overflow

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::incomparable, what); }

void check_size(const char* what, std::int64_t value) {
  if (value < 1 || value > largest) refuse(std::string(what) + " is " + std::to_string(value));
}

void check_divides(const char* what, std::int64_t whole, const char* by, std::int64_t part) {
  if (whole % part != 0)
    refuse(std::string(what) + " " + std::to_string(whole) + " is not divisible by " + by + " " + std::to_string(part));
}

class Parameters {
 public:
  void matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
    list.push_back({.key = name + ".weight", .rows = rows, .columns = columns});
  }
  void linear(const std::string& name, std::int64_t rows, std::int64_t columns) {
    matrix(name, rows, columns);
    list.push_back({.key = name + ".bias", .rows = rows, .columns = 1, .vector = true});
  }
  void norm(const std::string& name, std::int64_t size) {
    for (const char* part : {".weight", ".bias"})
      list.push_back({.key = name + part, .rows = size, .columns = 1, .vector = true});
  }
  std::vector<ParameterShape> list;
};

void add_layer(Parameters& parameters, const GptShape& shape, std::int64_t layer) {
  const std::string start = "layers." + std::to_string(layer) + ".";
  parameters.norm(start + "input_layernorm", shape.hidden);
  parameters.linear(start + "self_attention.query_key_value", shape.query_key_value_rows(), shape.hidden);
  parameters.linear(start + "self_attention.dense", shape.hidden, shape.hidden);
  parameters.norm(start + "post_attention_layernorm", shape.hidden);
  parameters.linear(start + "mlp.dense_h_to_4h", shape.ffn_rows(), shape.hidden);
  parameters.linear(start + "mlp.dense_4h_to_h", shape.hidden, shape.ffn);
}

}  // namespace

std::string_view name(Positions positions) { return position_names[static_cast<std::size_t>(positions)]; }

std::string_view name(GptActivation activation) { return activation_names[static_cast<std::size_t>(activation)]; }

void check(const GptShape& shape) {
  check_size("the number of layers", shape.layers);
  check_size("the hidden size", shape.hidden);
  check_size("the number of heads", shape.heads);
  check_size("the number of query groups", shape.groups);
  check_size("the ffn size", shape.ffn);
  check_size("the vocabulary size", shape.vocab);
  if (shape.positions == Positions::absolute) check_size("the number of positions", shape.sequence);
  check_divides("the hidden size", shape.hidden, "the number of heads", shape.heads);
  check_divides("the number of heads", shape.heads, "the number of query groups", shape.groups);
}

std::vector<ParameterShape> parameters_of(const GptShape& shape) {
  Parameters parameters;
  parameters.matrix("word_embeddings", shape.vocab, shape.hidden);
  if (shape.positions == Positions::absolute) parameters.matrix("position_embeddings", shape.sequence, shape.hidden);
  if (shape.embed_norm) parameters.norm("word_embeddings.norm", shape.hidden);
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) add_layer(parameters, shape, layer);
  parameters.norm("final_layernorm", shape.hidden);
  if (!shape.tied_head) parameters.matrix("head", shape.vocab, shape.hidden);
  return parameters.list;
}

}  // namespace goldentrace
