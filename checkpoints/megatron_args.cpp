#include "checkpoints/megatron_args.h"

#include <array>

#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse(const MegatronFiles& files, ErrorCode code, const std::string& what) {
  throw Error(code, what, {.file = files.path.string(), .record = {}});
}

// Members of args by name; absent and None are the same.
class Arguments {
 public:
  explicit Arguments(const MegatronFiles& files) : files_(files) {}

  bool given() const { return files_.args.has_value(); }
  std::optional<PickleValue> find(const char* name) const {
    const auto value = files_.args ? files_.args->find(name) : std::nullopt;
    return value && value->is(PickleKind::none) ? std::nullopt : value;
  }
  std::optional<std::int64_t> integer(const char* name) const {
    const auto value = find(name);
    if (!value) return std::nullopt;
    if (!value->integer()) wrong(name, *value);
    return value->integer();
  }
  double number(const char* name, double otherwise) const {
    const auto value = find(name);
    if (!value) return otherwise;
    if (!value->number()) wrong(name, *value);
    return *value->number();
  }
  bool flag(const char* name) const {
    const auto value = find(name);
    if (!value) return false;
    if (!value->integer()) wrong(name, *value);
    return *value->integer() != 0;
  }
  [[noreturn]] void wrong(const char* name, const PickleValue& value) const {
    refuse(files_, ErrorCode::damaged, "args." + std::string(name) + " is " + describe(value));
  }

 private:
  const MegatronFiles& files_;
};

const Shard* first_shard(const MegatronFiles& files, const std::string& key) {
  const auto found = files.tensors.find(key);
  return found == files.tensors.end() ? nullptr : &found->second.front();
}

std::int64_t extent(const MegatronFiles& files, const std::string& key, std::size_t dimension) {
  const Shard* const shard = first_shard(files, key);
  if (shard == nullptr || shard->view().shape.size() <= dimension)
    refuse(files, ErrorCode::not_found, "1 missing: " + key);
  return shard->view().shape[dimension];
}

std::int64_t count_layers(const MegatronFiles& files) {
  std::int64_t layers = 0;
  while (files.tensors.contains("layers." + std::to_string(layers) + ".input_layernorm.weight")) ++layers;
  return layers;
}

// The enum's or the text's value in lower case words of upstream: M-DS numbers them, NVIDIA names them.
Positions positions_of(const Arguments& args, const PickleValue& value) {
  const bool is_enum = value.is(PickleKind::object) && value.item(0).is(PickleKind::tuple) && value.item(0).size() == 1;
  const PickleValue inner = is_enum ? value.item(0).item(0) : value;
  const std::string_view text = inner.text();
  const std::int64_t number = inner.integer().value_or(0);
  if (number == 1 || text == "rotary" || text == "rope") return Positions::rotary;
  if (number == 2 || text == "absolute" || text == "learned_absolute") return Positions::absolute;
  if (number == 3 || text == "alibi") return Positions::alibi;
  args.wrong("position_embedding_type", value);
}

Positions read_positions(const MegatronFiles& files, const Arguments& args) {
  if (args.flag("use_rotary_position_embeddings")) return Positions::rotary;
  if (const auto type = args.find("position_embedding_type")) return positions_of(args, *type);
  if (files.tensors.contains("position_embeddings.weight") || args.given()) return Positions::absolute;
  if (files.tensors.contains("word_embeddings.norm.weight")) return Positions::alibi;
  refuse(files, ErrorCode::not_found, "neither arguments nor a position table: the kind of positions is not known");
}

GptActivation read_activation(const Arguments& args) {
  if (!args.given()) return GptActivation::gelu_new;
  if (args.flag("bias_gelu_fusion")) return GptActivation::gelu_fast;
  return args.flag("openai_gelu") ? GptActivation::gelu_new : GptActivation::gelu;
}

std::string read_glu(const Arguments& args) {
  const auto value = args.find("glu_activation");
  if (value && !value->is(PickleKind::text)) args.wrong("glu_activation", *value);
  if (value) return std::string(value->text());
  return args.flag("swiglu") ? "swiglu" : "";
}

std::int64_t read_heads(const MegatronFiles& files, const Arguments& args, const ReadOptions& options) {
  const auto heads = args.integer("num_attention_heads");
  if (heads && options.heads && *heads != *options.heads)
    refuse(files, ErrorCode::usage, "has " + std::to_string(*heads) + " heads, not " + std::to_string(*options.heads));
  if (heads) return *heads;
  if (options.heads) return *options.heads;
  refuse(files, ErrorCode::not_found, "holds no arguments: give the number of heads with --heads");
}

std::int64_t read_groups(const Arguments& args, const ReadOptions& options, std::int64_t heads) {
  if (options.groups) return *options.groups;
  const bool grouped = args.flag("group_query_attention") || !args.find("group_query_attention");
  return grouped ? args.integer("num_query_groups").value_or(heads) : heads;
}

std::int64_t read_vocabulary(const MegatronFiles& files, const ReadOptions& options) {
  const std::int64_t padded = extent(files, "word_embeddings.weight", 0) * files.ranks;
  const auto original = files.info ? files.info->find("original_vocab_size") : std::nullopt;
  std::int64_t vocab = padded;
  if (original && original->integer() && options.padding == VocabularyPadding::cut) vocab = *original->integer();
  if (options.vocab) vocab = *options.vocab;
  if (vocab > padded)
    refuse(files, ErrorCode::incomparable,
           "a vocabulary of " + std::to_string(vocab) + ", the embedding has " + std::to_string(padded) + " rows");
  return vocab;
}

void check_channels(const MegatronFiles& files, const Arguments& args, const GptShape& shape) {
  const auto channels = args.integer("kv_channels");
  if (channels && *channels != shape.head_size())
    refuse(files, ErrorCode::unsupported, "kv-channels other than hidden size / heads");
}

bool is_plain(const PickleValue& value) { return value.number() || value.is(PickleKind::text); }

TorchValue plain(const PickleValue& value) {
  if (value.is(PickleKind::boolean)) return *value.integer() != 0;
  if (value.is(PickleKind::integer)) return *value.integer();
  if (value.is(PickleKind::floating)) return *value.number();
  return std::string(value.text());
}

void set(TorchDict& dict, const std::string& name, TorchValue value) {
  for (auto& [key, held] : dict)
    if (key == name) {
      held = std::move(value);
      return;
    }
  dict.emplace_back(name, std::move(value));
}

void set_sizes(TorchDict& args, const GptShape& shape) {
  set(args, "num_layers", shape.layers);
  set(args, "hidden_size", shape.hidden);
  set(args, "num_attention_heads", shape.heads);
  set(args, "group_query_attention", shape.groups != shape.heads);
  set(args, "num_query_groups", shape.groups);
  set(args, "ffn_hidden_size", shape.ffn);
  set(args, "kv_channels", shape.head_size());
  const bool absolute = shape.positions == Positions::absolute;
  if (shape.sequence > 0) set(args, "seq_length", shape.sequence);
  set(args, "max_position_embeddings", absolute ? TorchValue(shape.sequence) : TorchValue());
}

void set_options(TorchDict& args, const GptShape& shape) {
  set(args, "position_embedding_type", std::string(name(shape.positions)));
  set(args, "layernorm_epsilon", shape.epsilon);
  set(args, "hidden_dropout", shape.hidden_dropout);
  set(args, "attention_dropout", shape.attention_dropout);
  set(args, "bias_gelu_fusion", shape.activation == GptActivation::gelu_fast);
  set(args, "openai_gelu", shape.activation == GptActivation::gelu_new);
  set(args, "glu_activation", shape.glu.empty() ? TorchValue() : TorchValue(shape.glu));
  set(args, "embed_layernorm", shape.embed_norm);
  set(args, "apply_residual_connection_post_layernorm", shape.post_norm_residual);
  set(args, "untie_embeddings_and_output_weights", !shape.tied_head);
}

}  // namespace

GptShape read_megatron_shape(const MegatronFiles& files, const ReadOptions& options) {
  const Arguments args(files);
  GptShape shape{.layers = args.integer("num_layers").value_or(count_layers(files))};
  shape.hidden = args.integer("hidden_size").value_or(extent(files, "word_embeddings.weight", 1));
  shape.heads = read_heads(files, args, options);
  shape.groups = read_groups(args, options, shape.heads);
  shape.glu = read_glu(args);
  shape.positions = read_positions(files, args);
  shape.activation = read_activation(args);
  const auto ffn = args.integer("ffn_hidden_size");
  shape.ffn =
      ffn ? *ffn : extent(files, "layers.0.mlp.dense_h_to_4h.weight", 0) * files.ranks / (shape.glu.empty() ? 1 : 2);
  const auto positions =
      shape.positions == Positions::absolute ? args.integer("max_position_embeddings") : std::optional<std::int64_t>();
  shape.sequence = positions ? *positions : args.integer("seq_length").value_or(0);
  if (shape.positions == Positions::absolute && !positions)
    shape.sequence = extent(files, "position_embeddings.weight", 0);
  shape.vocab = read_vocabulary(files, options);
  shape.epsilon = args.number("layernorm_epsilon", shape.epsilon);
  shape.hidden_dropout = args.number("hidden_dropout", shape.hidden_dropout);
  shape.attention_dropout = args.number("attention_dropout", shape.attention_dropout);
  shape.embed_norm = args.find("embed_layernorm") ? args.flag("embed_layernorm") || args.flag("use_bnb_optimizer")
                                                  : files.tensors.contains("word_embeddings.norm.weight");
  shape.tied_head = args.find("untie_embeddings_and_output_weights") ? !args.flag("untie_embeddings_and_output_weights")
                                                                     : !files.tensors.contains("head.weight");
  shape.post_norm_residual = args.flag("apply_residual_connection_post_layernorm");
  shape.prefix_masks = args.flag("loss_on_targets_only");
  check(shape);
  check_channels(files, args, shape);
  return shape;
}

TorchDict plain_arguments(const MegatronFiles& files) {
  TorchDict dict;
  if (!files.args) return dict;
  files.args->each_member([&](PickleValue key, PickleValue value) {
    if (key.is(PickleKind::text) && is_plain(value)) set(dict, std::string(key.text()), plain(value));
  });
  return dict;
}

TorchDict megatron_arguments(const GptShape& shape, const MegatronOptions& options, std::int64_t padded_vocab,
                             DType dtype, const TorchDict& before) {
  TorchDict args = before;
  set_sizes(args, shape);
  set_options(args, shape);
  set(args, "padded_vocab_size", padded_vocab);
  set(args, "make_vocab_size_divisible_by", options.vocab_divisor);
  set(args, "tensor_model_parallel_size", options.ranks);
  set(args, "pipeline_model_parallel_size", std::int64_t{1});
  set(args, "fp16", dtype == DType::float16);
  set(args, "bf16", dtype == DType::bfloat16);
  return args;
}

}  // namespace goldentrace
