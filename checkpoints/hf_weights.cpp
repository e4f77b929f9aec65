#include "checkpoints/hf_weights.h"

#include <map>

#include "checkpoints/hf_files.h"
#include "checkpoints/hf_names.h"
#include "checkpoints/row_orders.h"
#include "checkpoints/small_file.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

const std::string embedding_key = "word_embeddings.weight", head_key = "head.weight";

bool is_query_key_value(std::string_view key) { return key.find(".query_key_value.") != std::string_view::npos; }

// GPT-2's linears are Conv1D: [in, out].
bool is_linear_weight(std::string_view key) {
  return key.starts_with("layers.") && key.ends_with(".weight") && key.find("layernorm") == std::string_view::npos;
}

struct Found {
  std::map<std::string, StoredParameter> parameters;
  std::vector<std::string> unexpected;
  std::size_t buffers = 0;
};

void collect(const std::shared_ptr<TensorFile>& file, HfModel model, Found& found) {
  for (std::size_t i = 0; i < file->tensors().size(); ++i) {
    const std::string& name = file->tensors()[i].name;
    const auto key = canonical_key(model, name);
    if (is_mask_buffer(name))
      ++found.buffers;
    else if (!key)
      found.unexpected.push_back(name);
    else if (!found.parameters.emplace(*key, parameter_of(file, i)).second)
      throw Error(ErrorCode::damaged, printable(hf_key(model, *key)) + " is there with and without its prefix",
                  {.file = file->path().string(), .record = {}});
  }
}

// Takes the head of a tied model away, or lets it stand for an absent embedding.
void settle_tied_head(GptWeights& weights) {
  const auto head = weights.parameters.find(head_key);
  if (!weights.shape.tied_head || head == weights.parameters.end()) return;
  const auto [embedding, only_head] = weights.parameters.emplace(embedding_key, head->second);
  if (only_head) {
    weights.notes.emplace_back("the tied embedding was read from lm_head.weight");
  } else {
    for (const StoredParameter* parameter : {&head->second, &embedding->second}) parameter->check();
    if (!equal_elements(head->second.matrix(), embedding->second.matrix()))
      weights.notes.emplace_back("tied but different: lm_head.weight was dropped, the embedding is taken for both");
  }
  weights.parameters.erase(head_key);
}

// Each group's key and value heads must be the same for all its queries, or they cannot be one.
void check_repeated_heads(const Matrix& thirds, const GptShape& shape) {
  const std::int64_t size = shape.head_size(), queries = shape.queries();
  for (std::int64_t part = 1; part < 3; ++part)
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const RowRun own{(part * shape.heads + head) * size, size};
      const RowRun first{(part * shape.heads + head / queries * queries) * size, size};
      if (!equal_elements(gather_rows(thirds, {&own, 1}), gather_rows(thirds, {&first, 1})))
        throw Error(ErrorCode::incomparable, std::string(part == 1 ? "key" : "value") + " head " +
                                                 std::to_string(head) + " differs within its group; " +
                                                 std::to_string(shape.groups) + " query groups do not fit");
    }
}

void transpose(StoredParameter& parameter) {
  std::swap(parameter.rows, parameter.columns);
  parameter.matrix = [matrix = parameter.matrix] { return transposed(matrix()); };
}

void from_hf_order(StoredParameter& parameter, const GptShape& shape) {
  if (parameter.rows != 3 * shape.hidden) return;  // reported by the check of all shapes
  parameter.rows = shape.query_key_value_rows();
  if (shape.groups != shape.heads)
    parameter.check = [matrix = parameter.matrix, check = parameter.check, shape] {
      check();
      check_repeated_heads(matrix(), shape);
    };
  parameter.matrix = [matrix = parameter.matrix, shape] { return gather_rows(matrix(), from_thirds(shape)); };
}

void to_canonical(GptWeights& weights) {
  for (auto& [key, parameter] : weights.parameters) {
    if (is_linear_weight(key) && !parameter.vector) transpose(parameter);
    if (is_query_key_value(key)) from_hf_order(parameter, weights.shape);
  }
}

std::string tokenizer_class(const TorchDict& args) {
  for (const auto& [name, value] : args) {
    const auto* const text = std::get_if<std::string>(&value);
    if (name == "tokenizer_type" && text != nullptr && *text == "GPT2BPETokenizer") return "GPT2Tokenizer";
  }
  return {};
}

}  // namespace

GptWeights read_hf(const std::filesystem::path& path, const ReadOptions& options) {
  const bool folder = is_folder(path);
  GptWeights weights{.files = open_hf_files(path, options.unknown)};
  const HfConfig config = read_hf_config((folder ? path : path.parent_path()) / "config.json");
  weights.shape = config.shape;
  if (options.groups) weights.shape.groups = *options.groups;
  check(weights.shape);
  Found found;
  for (const auto& file : weights.files) collect(file, config.model, found);
  weights.parameters = std::move(found.parameters);
  if (found.buffers > 0)
    weights.notes.push_back(std::to_string(found.buffers) + " mask buffers (attn.bias, attn.masked_bias) dropped");
  settle_tied_head(weights);
  if (config.model == HfModel::gpt2) to_canonical(weights);
  check_parameters(weights, path, std::move(found.unexpected),
                   [&](const std::string& key) { return hf_key(config.model, key); });
  return weights;
}

StoredParameter gpt2_parameter(const std::string& key, StoredParameter parameter, const GptShape& shape) {
  if (is_query_key_value(key)) {
    parameter.rows = 3 * shape.hidden;
    parameter.matrix = [matrix = parameter.matrix, shape] { return gather_rows(matrix(), to_thirds(shape)); };
  }
  if (is_linear_weight(key)) transpose(parameter);
  return parameter;
}

void write_hf(const std::filesystem::path& folder, const GptWeights& weights, const HfOptions& options,
              const WriteProgress& progress) {
  const HfModel model = hf_model_for(weights.shape);
  std::vector<TensorSource> sources;
  for (const ParameterShape& wanted : parameters_of(weights.shape)) {
    StoredParameter parameter = weights.parameters.at(wanted.key);
    if (model == HfModel::gpt2) parameter = gpt2_parameter(wanted.key, std::move(parameter), weights.shape);
    sources.push_back(source_of(parameter, hf_key(model, wanted.key)));
  }
  write_small_file(folder / "config.json",
                   hf_config_text(model, weights.shape, sources.front().dtype, tokenizer_class(weights.args)));
  write_sharded_safetensors(folder, sources, options.shard_bytes, progress);
}

}  // namespace goldentrace
