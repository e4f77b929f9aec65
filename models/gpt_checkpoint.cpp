#include "models/gpt_checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>

#include <map>
#include <optional>

#include "checkpoints/safetensors.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::string_view prefix = "transformer.";
const std::string head_key = "lm_head.weight";
const std::string embedding_key = "transformer.wte.weight";
constexpr std::size_t most_names = 40;  // in one error line

using Sources = std::map<std::string, const SafetensorsEntry*>;  // by full key

[[noreturn]] void refuse(ErrorCode code, const SafetensorsFile& file, const std::string& what) {
  throw Error(code, what, {.file = file.path().string(), .record = {}});
}

bool is_mask_buffer(std::string_view key) { return key.ends_with(".attn.bias") || key.ends_with(".attn.masked_bias"); }

std::string full_key(const std::string& key) {
  return key == head_key || key.starts_with(prefix) ? key : std::string(prefix) + key;
}

std::optional<at::ScalarType> floating_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return at::kFloat;
    case DType::float64:
      return at::kDouble;
    case DType::float16:
      return at::kHalf;
    case DType::bfloat16:
      return at::kBFloat16;
    default:
      return std::nullopt;
  }
}

Sources collect(const SafetensorsFile& file, std::vector<std::string>& notes) {
  Sources sources;
  std::size_t buffers = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (is_mask_buffer(entry.name))
      ++buffers;
    else if (!sources.emplace(full_key(entry.name), &entry).second)
      refuse(ErrorCode::incomparable, file, full_key(entry.name) + " is there with and without its prefix");
  }
  if (buffers > 0) notes.push_back(std::to_string(buffers) + " mask buffers (attn.bias, attn.masked_bias) dropped");
  return sources;
}

std::string list_of(const std::string& title, const std::vector<std::string>& keys) {
  std::string text = std::to_string(keys.size()) + " " + title;
  for (std::size_t i = 0; i < keys.size() && i < most_names; ++i) text += (i == 0 ? ": " : ", ") + keys[i];
  return keys.size() > most_names ? text + ", …" : text;
}

void check_keys(const SafetensorsFile& file, const NamedTensors& targets, const Sources& sources) {
  std::vector<std::string> missing, unexpected;
  std::map<std::string, int> wanted;
  for (const NamedTensor& target : targets) {
    wanted.emplace(target.name, 0);
    if (!sources.contains(target.name)) missing.push_back(target.name);
  }
  for (const auto& [key, entry] : sources)
    if (!wanted.contains(key)) unexpected.push_back(key);
  if (missing.empty() && unexpected.empty()) return;
  refuse(
      ErrorCode::not_found, file,
      list_of("missing", missing) + "; " + list_of("unexpected", unexpected) + "; choose the sizes of this checkpoint");
}

std::string text_of(at::IntArrayRef shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

void check_entry(const SafetensorsFile& file, const NamedTensor& target, const SafetensorsEntry& entry) {
  if (target.tensor.sizes() != at::IntArrayRef(entry.shape))
    refuse(ErrorCode::incomparable, file,
           target.name + " is " + text_of(entry.shape) + ", the model needs " + text_of(target.tensor.sizes()));
  if (!floating_type(entry.dtype))
    refuse(ErrorCode::incomparable, file, target.name + " is " + std::string(name(entry.dtype)) + ", no weight");
}

at::Tensor read(const SafetensorsFile& file, const SafetensorsEntry& entry) {
  const at::Tensor tensor = at::empty(entry.shape, *floating_type(entry.dtype));
  file.read(entry, {static_cast<std::byte*>(tensor.data_ptr()), entry.size});
  return tensor;
}

// Takes the head of a tied model out of `sources`, or lets it stand for an absent embedding.
void settle_tied_head(const SafetensorsFile& file, Sources& sources, const at::Tensor& embedding,
                      std::vector<std::string>& notes) {
  const auto head = sources.find(head_key);
  if (head == sources.end()) return;
  const SafetensorsEntry* entry = head->second;
  sources.erase(head);
  const auto [wte, only_head] = sources.emplace(embedding_key, entry);
  if (only_head) {
    notes.push_back("the tied embedding was read from lm_head.weight");
    return;
  }
  check_entry(file, {head_key, embedding}, *entry);
  check_entry(file, {embedding_key, embedding}, *wte->second);
  if (!at::equal(read(file, *entry), read(file, *wte->second)))
    notes.push_back("tied but different: lm_head.weight was dropped, transformer.wte.weight taken for both");
}

}  // namespace

std::vector<std::string> load_checkpoint(const std::filesystem::path& path, const GptParameters& parameters) {
  const at::NoGradGuard no_gradients;
  const SafetensorsFile file(path);
  std::vector<std::string> notes;
  Sources sources = collect(file, notes);
  if (parameters.lm_head.is_same(parameters.wte)) settle_tied_head(file, sources, parameters.wte, notes);
  const NamedTensors targets = named(parameters);
  check_keys(file, targets, sources);
  for (const NamedTensor& target : targets) check_entry(file, target, *sources.at(target.name));
  for (const NamedTensor& target : targets) target.tensor.copy_(read(file, *sources.at(target.name)));
  return notes;
}

}  // namespace goldentrace
