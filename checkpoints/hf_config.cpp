#include "checkpoints/hf_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkpoints/small_file.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t longest_config = 1 << 20;
constexpr std::int64_t gpt2_end_of_text = 50256;
constexpr std::int64_t bloom_tokens[]{1, 2, 3};  // begin, end, padding

[[noreturn]] void unsupported(const std::string& what) { throw Error(ErrorCode::unsupported, what); }

// Fields by name with their type checked; null and absent give the default.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  std::int64_t integer(const char* name, std::int64_t otherwise) const {
    const Json* const value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_number_integer()) wrong(name, "no whole number");
    return value->get<std::int64_t>();
  }
  std::int64_t size(const char* name) const {
    if (find(name) == nullptr) wrong(name, "missing");
    return integer(name, 0);
  }
  double number(const char* name, double otherwise) const {
    const Json* const value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_number()) wrong(name, "no number");
    return value->get<double>();
  }
  bool flag(const char* name, bool otherwise) const {
    const Json* const value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) wrong(name, "no truth value");
    return value->get<bool>();
  }
  std::string text(const char* name, const char* otherwise) const {
    const Json* const value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) wrong(name, "no text");
    return value->get<std::string>();
  }

 private:
  const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  [[noreturn]] static void wrong(const char* name, const char* what) {
    throw Error(ErrorCode::damaged, std::string(name) + " is " + what);
  }

  const Json& json_;
};

GptActivation activation_of(const std::string& name) {
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return GptActivation::gelu_new;  // one function, two names
  if (name == "gelu_fast") return GptActivation::gelu_fast;
  if (name == "gelu") return GptActivation::gelu;
  unsupported("activation_function " + printable(name.substr(0, 100)) + " has no partner in Megatron");
}

void refuse_flag(const Fields& fields, const char* name, bool only) {
  if (fields.flag(name, only) != only) unsupported(std::string(name) + " has no partner in Megatron");
}

GptShape gpt2_shape(const Fields& fields) {
  refuse_flag(fields, "scale_attn_weights", true);
  refuse_flag(fields, "scale_attn_by_inverse_layer_idx", false);
  refuse_flag(fields, "add_cross_attention", false);
  GptShape shape{.layers = fields.size("n_layer"), .hidden = fields.size("n_embd"), .heads = fields.size("n_head")};
  shape.vocab = fields.size("vocab_size");
  shape.sequence = fields.size("n_positions");
  shape.ffn = fields.integer("n_inner", 4 * std::min<std::int64_t>(shape.hidden, INT32_MAX));
  shape.activation = activation_of(fields.text("activation_function", "gelu_new"));
  shape.hidden_dropout = fields.number("resid_pdrop", 0.1);
  shape.attention_dropout = fields.number("attn_pdrop", 0.1);
  return shape;
}

GptShape bloom_shape(const Fields& fields) {
  GptShape shape{.layers = fields.integer("n_layer", fields.integer("num_hidden_layers", 0)),
                 .hidden = fields.integer("hidden_size", fields.integer("n_embed", 0)),
                 .heads = fields.integer("n_head", fields.integer("num_attention_heads", 0))};
  shape.vocab = fields.size("vocab_size");
  shape.sequence = fields.integer("seq_length", 0);
  shape.ffn = 4 * std::min<std::int64_t>(shape.hidden, INT32_MAX);
  shape.positions = Positions::alibi;
  shape.embed_norm = true;
  shape.activation = GptActivation::gelu_fast;
  shape.post_norm_residual = fields.flag("apply_residual_connection_post_layernorm", false);
  shape.hidden_dropout = fields.number("hidden_dropout", 0);
  shape.attention_dropout = fields.number("attention_dropout", 0);
  return shape;
}

HfConfig config_of(const Json& json) {
  if (!json.is_object()) throw Error(ErrorCode::damaged, "is no JSON object");
  const Fields fields(json);
  const std::string type = fields.text("model_type", "");
  if (type != "gpt2" && type != "bloom")
    unsupported("model_type " + (type.empty() ? "is missing" : printable(type.substr(0, 100))) +
                "; gpt2 and bloom are converted");
  HfConfig config{.model = type == "gpt2" ? HfModel::gpt2 : HfModel::bloom};
  config.shape = config.model == HfModel::gpt2 ? gpt2_shape(fields) : bloom_shape(fields);
  config.shape.groups = config.shape.heads;
  config.shape.epsilon = fields.number("layer_norm_epsilon", 1e-5);
  config.shape.tied_head = fields.flag("tie_word_embeddings", true);
  check(config.shape);
  return config;
}

void add_gpt2(Json& json, const GptShape& shape) {
  json["n_positions"] = shape.sequence;
  json["n_embd"] = shape.hidden;
  json["n_inner"] = shape.ffn;
  json["activation_function"] = name(shape.activation);
  json["resid_pdrop"] = shape.hidden_dropout;
  json["embd_pdrop"] = shape.hidden_dropout;
  json["attn_pdrop"] = shape.attention_dropout;
  json["scale_attn_weights"] = true;
  json["scale_attn_by_inverse_layer_idx"] = false;
  const bool has_end = shape.vocab > gpt2_end_of_text;
  for (const char* token : {"bos_token_id", "eos_token_id"}) json[token] = has_end ? Json(gpt2_end_of_text) : Json();
}

void add_bloom(Json& json, const GptShape& shape) {
  json["hidden_size"] = shape.hidden;
  if (shape.sequence > 0) json["seq_length"] = shape.sequence;
  json["apply_residual_connection_post_layernorm"] = shape.post_norm_residual;
  json["hidden_dropout"] = shape.hidden_dropout;
  json["attention_dropout"] = shape.attention_dropout;
  json["pretraining_tp"] = 1;
  json["slow_but_exact"] = false;
  const char* const names[]{"bos_token_id", "eos_token_id", "pad_token_id"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    json[names[i]] = shape.vocab > bloom_tokens[i] ? Json(bloom_tokens[i]) : Json();
}

}  // namespace

HfConfig read_hf_config(const std::filesystem::path& path) {
  const std::string text = read_small_file(path, longest_config);
  try {
    return config_of(Json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(ErrorCode::damaged, "is no valid JSON at byte " + std::to_string(error.byte),
                {.file = path.string(), .record = {}});
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), {.file = path.string(), .record = {}});
  }
}

HfModel hf_model_for(const GptShape& shape) {
  const auto refuse = [](const std::string& option) { unsupported(option + " has no partner in GPT-2 or BLOOM"); };
  if (shape.positions == Positions::rotary) refuse("position-embedding-type rotary");
  if (!shape.glu.empty()) refuse("glu-activation " + shape.glu);
  if (shape.prefix_masks) refuse("loss-on-targets-only (prefix-LM masks)");
  const bool alibi = shape.positions == Positions::alibi;
  if (shape.embed_norm && !alibi) refuse("embed-layernorm without alibi");
  if (alibi && !shape.embed_norm) refuse("position-embedding-type alibi without embed-layernorm");
  if (!alibi && shape.post_norm_residual) refuse("apply-residual-connection-post-layernorm without alibi");
  if (!alibi) return HfModel::gpt2;
  if (shape.groups != shape.heads) refuse("num-query-groups with alibi");
  if (shape.ffn != 4 * shape.hidden) refuse("ffn-hidden-size other than 4 hidden sizes with alibi");
  if (shape.activation == GptActivation::gelu) refuse("the exact gelu with alibi");
  // The norm of the embedding has this epsilon whatever the option says; BLOOM has one for all.
  if (shape.epsilon != 1e-5) refuse("layernorm-epsilon other than 1e-5 with embed-layernorm");
  return HfModel::bloom;
}

std::string hf_config_text(HfModel model, const GptShape& shape, DType dtype, const std::string& tokenizer_class) {
  const bool gpt2 = model == HfModel::gpt2;
  Json json;
  json["architectures"] = {gpt2 ? "GPT2LMHeadModel" : "BloomForCausalLM"};
  json["model_type"] = gpt2 ? "gpt2" : "bloom";
  json["vocab_size"] = shape.vocab;
  json["n_layer"] = shape.layers;
  json["n_head"] = shape.heads;
  gpt2 ? add_gpt2(json, shape) : add_bloom(json, shape);
  json["layer_norm_epsilon"] = shape.epsilon;
  json["initializer_range"] = 0.02;
  json["tie_word_embeddings"] = shape.tied_head;
  json["torch_dtype"] = name(dtype);
  json["use_cache"] = true;
  if (!tokenizer_class.empty()) json["tokenizer_class"] = tokenizer_class;
  return json.dump(2) + "\n";
}

}  // namespace goldentrace
