#include "checkpoints/megatron_pipe.h"

#include <charconv>
#include <regex>
#include <set>

#include "checkpoints/small_file.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_tag = 4096;
constexpr std::size_t most_names = 20;
constexpr std::int64_t highest_index = 1'000'000;

[[noreturn]] void refuse(ErrorCode code, const fs::path& path, const std::string& what) {
  throw Error(code, what, {.file = path.string(), .record = {}});
}

struct LayerFiles {
  std::set<std::int64_t> indices;
  std::set<std::int64_t> ranks;
  std::set<std::pair<std::int64_t, std::int64_t>> present;  // (index, rank)
};

std::int64_t number(const std::string& digits) {
  std::int64_t value = highest_index + 1;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

LayerFiles list_layers(const fs::path& folder) {
  static const std::regex form(R"(layer_(\d{2,7})-model_(\d{2,7})-model_states\.pt)");
  LayerFiles files;
  for (const fs::path& entry : entries(folder)) {
    std::smatch match;
    const std::string name = entry.filename().string();
    if (!std::regex_match(name, match, form)) continue;
    const std::int64_t index = number(match[1]), rank = number(match[2]);
    if (index > highest_index || rank > highest_index) refuse(ErrorCode::damaged, entry, "an impossible number");
    files.indices.insert(index);
    files.ranks.insert(rank);
    files.present.emplace(index, rank);
  }
  return files;
}

std::string padded(std::int64_t value, std::size_t digits) {
  const std::string text = std::to_string(value);
  return std::string(text.size() < digits ? digits - text.size() : 0, '0') + text;
}

// Every file between the first layer and the last, for each rank. Names are counted only as far as they are shown: the
// numbers come out of file names.
void check_complete(const fs::path& folder, const LayerFiles& files, std::int64_t layers) {
  std::set<std::int64_t> wanted = files.indices;
  wanted.insert({pipe_embedding, pipe_first_layer + layers + 1});
  for (std::int64_t layer = 0; layer < layers; ++layer) wanted.insert(pipe_first_layer + layer);
  std::string missing;
  std::size_t count = 0;
  for (auto index = wanted.begin(); index != wanted.end() && count <= most_names; ++index)
    for (std::int64_t rank = 0; rank <= *files.ranks.rbegin() && count <= most_names; ++rank)
      if (!files.present.contains({*index, rank}) && ++count <= most_names)
        missing += (missing.empty() ? "" : ", ") + pipe_file_name(*index, rank);
  const std::string number = count > most_names ? "more than " + std::to_string(most_names) : std::to_string(count);
  if (count > 0) refuse(ErrorCode::not_found, folder, "files that are missing, " + number + ": " + missing);
}

bool has_tensor(const TensorFile& file, std::string_view name) {
  for (const NamedView& tensor : file.tensors())
    if (tensor.name == name) return true;
  return false;
}

// The final norm's file holds "weight" and "bias" alone, so the number of layers follows from its place.
std::int64_t count_layers(const fs::path& folder, const LayerFiles& files, UnknownClass unknown) {
  for (auto index = files.indices.rbegin(); index != files.indices.rend(); ++index) {
    if (*index <= pipe_first_layer) break;
    const fs::path path = folder / pipe_file_name(*index, *files.ranks.begin());
    if (!is_there(path)) continue;
    if (has_tensor(*open_tensor_file(path, unknown), "bias")) return *index - pipe_first_layer - 1;
  }
  refuse(ErrorCode::not_found, folder, "no file of a final norm (weight and bias after the layers)");
}

std::string key_in_file(std::int64_t index, std::int64_t layers, const std::string& name) {
  if (index == pipe_embedding) return name;
  if (index < pipe_first_layer + layers) return "layers." + std::to_string(index - pipe_first_layer) + "." + name;
  if (index == pipe_first_layer + layers + 1) return "final_layernorm." + name;
  return name == "lm_head.weight" || name == "word_embeddings.weight" ? "head.weight" : "head." + name;
}

void add_file(MegatronFiles& result, const fs::path& folder, std::int64_t index, std::int64_t rank, std::int64_t layers,
              UnknownClass unknown) {
  const std::shared_ptr<TensorFile> file = open_tensor_file(folder / pipe_file_name(index, rank), unknown);
  for (std::size_t i = 0; i < file->tensors().size(); ++i) {
    const std::string& name = file->tensors()[i].name;
    if (name.ends_with("_extra_state")) continue;
    const std::string key = key_in_file(index, layers, name);
    result.names[key] = "layer_" + padded(index, 2) + " " + name;
    result.tensors[key].push_back({file, i});
  }
  result.files.push_back(file);
}

void add_arguments(MegatronFiles& result, const fs::path& folder, UnknownClass unknown) {
  const fs::path path = folder / "mp_rank_00_model_states.pt";
  if (!is_there(path)) {
    result.notes.emplace_back("no mp_rank_00_model_states.pt: sizes were taken from the tensors");
    return;
  }
  const std::shared_ptr<TensorFile> file = open_tensor_file(path, unknown);
  if (file->torch() == nullptr) refuse(ErrorCode::not_a_trace, path, "not a torch.save archive");
  result.args = file->torch()->root().find("args");
  result.info = file->torch()->root().find("checkpoint_info");
  result.files.push_back(file);
}

}  // namespace

std::string pipe_file_name(std::int64_t index, std::int64_t rank) {
  return "layer_" + padded(index, 2) + "-model_" + padded(rank, 2) + "-model_states.pt";
}

std::optional<fs::path> pipe_folder(const fs::path& path) {
  if (!is_folder(path)) return std::nullopt;
  if (is_file(path / "latest")) {
    std::string tag = read_small_file(path / "latest", longest_tag);
    while (!tag.empty() && (tag.back() == '\n' || tag.back() == '\r' || tag.back() == ' ')) tag.pop_back();
    if (tag.empty() || tag.find('/') != std::string::npos || tag == ".." || tag == ".")
      refuse(ErrorCode::damaged, path / "latest", "names no folder beside it");
    if (!is_folder(path / tag))
      refuse(ErrorCode::not_found, path / "latest", "names " + printable(tag) + ", which is not there");
    return path / tag;
  }
  return list_layers(path).indices.empty() ? std::nullopt : std::optional(path);
}

MegatronFiles open_pipe(const fs::path& folder, UnknownClass unknown) {
  const LayerFiles files = list_layers(folder);
  if (files.indices.empty()) refuse(ErrorCode::not_found, folder, "no layer_*-model_*-model_states.pt here");
  const std::int64_t layers = count_layers(folder, files, unknown);
  check_complete(folder, files, layers);
  MegatronFiles result{.path = folder, .ranks = static_cast<std::int64_t>(files.ranks.size())};
  for (const auto& [index, rank] : files.present) add_file(result, folder, index, rank, layers, unknown);
  add_arguments(result, folder, unknown);
  return result;
}

}  // namespace goldentrace
