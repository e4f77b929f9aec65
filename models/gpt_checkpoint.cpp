#include "models/gpt_checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>

#include "checkpoints/gpt_weights.h"
#include "models/checkpoint_sources.h"
#include "models/scalar_types.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using Sources = std::map<std::string, TensorSource>;

[[noreturn]] void refuse(ErrorCode code, const GptOptions& options, const std::string& what) {
  throw Error(code, what, {.file = options.checkpoint.string(), .record = {}});
}

void check_keys(const GptOptions& options, const NamedTensors& targets, const Sources& sources) {
  std::vector<std::string> missing, unexpected;
  std::map<std::string, int> wanted;
  for (const NamedTensor& target : targets) {
    wanted.emplace(target.name, 0);
    if (!sources.contains(target.name)) missing.push_back(target.name);
  }
  for (const auto& [key, source] : sources)
    if (!wanted.contains(key)) unexpected.push_back(key);
  if (missing.empty() && unexpected.empty()) return;
  refuse(ErrorCode::not_found, options, key_lists(missing, unexpected) + "; choose the sizes of this checkpoint");
}

std::string text_of(at::IntArrayRef shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

void check_source(const GptOptions& options, const NamedTensor& target, const TensorSource& source) {
  if (target.tensor.sizes() != at::IntArrayRef(source.shape))
    refuse(ErrorCode::incomparable, options,
           target.name + " is " + text_of(source.shape) + ", the model needs " + text_of(target.tensor.sizes()));
  if (!floating_type(source.dtype))
    refuse(ErrorCode::incomparable, options, target.name + " is " + std::string(name(source.dtype)) + ", no weight");
}

// Takes the head of a tied model out of `sources`, or lets it stand for an absent embedding.
void settle_tied_head(const GptOptions& options, Sources& sources, const at::Tensor& embedding,
                      std::vector<std::string>& notes) {
  const std::string head_key = own_key(options.kind, "head.weight");
  const std::string embedding_key = own_key(options.kind, "word_embeddings.weight");
  auto node = sources.extract(head_key);
  if (node.empty()) return;
  const TensorSource head = node.mapped();
  const auto [words, only_head] = sources.emplace(embedding_key, head);
  if (only_head) {
    notes.push_back("the tied embedding was read from " + head_key);
    return;
  }
  check_source(options, {head_key, embedding}, head);
  check_source(options, {embedding_key, embedding}, words->second);
  if (!at::equal(read_tensor(head), read_tensor(words->second)))
    notes.push_back("tied but different: " + head_key + " was dropped, " + embedding_key + " taken for both");
}

}  // namespace

std::vector<std::string> load_checkpoint(const GptOptions& options, const GptParameters& parameters) {
  const at::NoGradGuard no_gradients;
  CheckpointSources opened = open_sources(options);
  if (parameters.head.is_same(parameters.words))
    settle_tied_head(options, opened.tensors, parameters.words, opened.notes);
  const NamedTensors targets = named(parameters, options.kind);
  check_keys(options, targets, opened.tensors);
  for (const NamedTensor& target : targets) check_source(options, target, opened.tensors.at(target.name));
  for (const NamedTensor& target : targets) target.tensor.copy_(read_tensor(opened.tensors.at(target.name)));
  return opened.notes;
}

}  // namespace goldentrace
