#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkpoints/convert.h"
#include "checkpoints/megatron_files.h"
#include "checkpoints/small_file.h"
#include "models/checkpoint_sources.h"
#include "models/gpt_checkpoint.h"
#include "models/option_text.h"
#include "traces/error.h"
#include "traces/file_status.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t longest_config = 1 << 20;

// transformers writes a size under the name of any of its models.
const std::map<std::string, std::string>& aliases(GptKind kind) {
  static const std::map<std::string, std::string> none,
      bloom{{"num_hidden_layers", "n_layer"}, {"num_attention_heads", "n_head"}, {"n_embed", "hidden_size"}};
  return kind == GptKind::bloom ? bloom : none;
}

std::string json_text(const Json& value) {
  if (value.is_null()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void adopt_json(GptOptions& options, const fs::path& path) {
  const Json json = Json::parse(read_small_file(path, longest_config), nullptr, false);
  if (!json.is_object()) throw Error(ErrorCode::damaged, "is no JSON object", {.file = path.string(), .record = {}});
  const std::vector<std::string> known = option_names(options.kind);
  for (const auto& [key, value] : json.items()) {
    const auto alias = aliases(options.kind).find(key);
    const std::string& name = alias == aliases(options.kind).end() ? key : alias->second;
    if (std::ranges::find(known, name) == known.end()) continue;
    if (value.is_null() && name != "n_inner") continue;
    set_option(options, name, json_text(value));
  }
}

GluActivation glu_of(const std::string& text) {
  GluActivation glu{};
  parse("glu_activation", text, glu);
  return glu;
}

void adopt_positions(MegatronConfig& config, const GptShape& shape) {
  config.position_embedding_type = static_cast<PositionKind>(shape.positions);
  config.max_position_embeddings.reset();
  if (shape.positions == Positions::absolute) config.max_position_embeddings = shape.sequence;
}

// gelu_fast is the form that the fusion computes, gelu_new's constant is OpenAI's.
void adopt_activation(MegatronConfig& config, const GptShape& shape) {
  config.glu_activation.reset();
  if (!shape.glu.empty()) config.glu_activation = glu_of(shape.glu);
  config.openai_gelu = shape.glu.empty() && shape.activation == GptActivation::gelu_new;
  config.bias_gelu_fusion = shape.glu.empty() && shape.activation == GptActivation::gelu_fast;
}

void adopt_shape(MegatronConfig& config, const GptShape& shape, std::int64_t padded) {
  config.num_layers = shape.layers;
  config.hidden_size = shape.hidden;
  config.num_attention_heads = shape.heads;
  config.num_query_groups.reset();
  if (shape.groups != shape.heads) config.num_query_groups = shape.groups;
  config.ffn_hidden_size = shape.ffn;
  config.vocab_size = shape.vocab;
  if (padded > 0) config.pad_vocab_size_to = padded;
  config.layernorm_epsilon = shape.epsilon;
  config.hidden_dropout = shape.hidden_dropout;
  config.attention_dropout = shape.attention_dropout;
  config.embed_layernorm = shape.embed_norm;
  config.untie_embeddings_and_output_weights = !shape.tied_head;
  config.apply_residual_connection_post_layernorm = shape.post_norm_residual;
  adopt_positions(config, shape);
  adopt_activation(config, shape);
}

void adopt_shape(GptConfig& config, const GptShape& shape) {
  config.n_layer = shape.layers;
  config.n_embd = shape.hidden;
  config.n_head = shape.heads;
  config.n_inner = shape.ffn;
  config.vocab_size = shape.vocab;
  config.n_positions = shape.sequence;
  config.layer_norm_epsilon = shape.epsilon;
  config.embd_pdrop = config.resid_pdrop = shape.hidden_dropout;
  config.attn_pdrop = shape.attention_dropout;
  config.tie_word_embeddings = shape.tied_head;
  parse("activation_function", name(shape.activation), config.activation_function);
}

void adopt_shape(BloomConfig& config, const GptShape& shape) {
  config.n_layer = shape.layers;
  config.hidden_size = shape.hidden;
  config.n_head = shape.heads;
  config.vocab_size = shape.vocab;
  config.layer_norm_epsilon = shape.epsilon;
  config.hidden_dropout = shape.hidden_dropout;
  config.attention_dropout = shape.attention_dropout;
  config.tie_word_embeddings = shape.tied_head;
  config.apply_residual_connection_post_layernorm = shape.post_norm_residual;
}

// Rows of the embedding as they are stored.
std::int64_t stored_rows(const GptOptions& options) {
  const GptWeights whole = read_checkpoint(options.checkpoint, {.padding = VocabularyPadding::keep});
  return whole.shape.vocab;
}

void adopt_conversion(GptOptions& options) {
  const GptShape shape = read_checkpoint(options.checkpoint, {}).shape;
  switch (options.kind) {
    case GptKind::hf:
      if (hf_model_for(shape) != HfModel::gpt2)
        throw Error(ErrorCode::unsupported, "is BLOOM's shape; record it with the shape bloom",
                    {.file = options.checkpoint.string(), .record = {}});
      return adopt_shape(options.config, shape);
    case GptKind::megatron:
      return adopt_shape(options.megatron, shape,
                         is_megatron_checkpoint(options.checkpoint) ? stored_rows(options) : 0);
    case GptKind::bloom:
      if (hf_model_for(shape) != HfModel::bloom)
        throw Error(ErrorCode::unsupported, "is no BLOOM: that has alibi positions and an embedding norm",
                    {.file = options.checkpoint.string(), .record = {}});
      return adopt_shape(options.bloom, shape);
  }
}

}  // namespace

void adopt_checkpoint(GptOptions& options) {
  if (needs_conversion(options)) return adopt_conversion(options);
  const fs::path& path = options.checkpoint;
  const fs::path json = (is_folder(path) ? path : path.parent_path()) / "config.json";
  if (is_there(json)) adopt_json(options, json);
}

}  // namespace goldentrace
