#include "checkpoints/megatron_classic.h"

#include <array>
#include <charconv>
#include <regex>

#include "checkpoints/small_file.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_tag = 4096;
constexpr std::array<const char*, 2> file_names{"model_optim_rng.pt", "model_rng.pt"};
const std::string model_start = "model.", language_model = "language_model.";

[[noreturn]] void refuse(ErrorCode code, const fs::path& path, const std::string& what) {
  throw Error(code, what, {.file = path.string(), .record = {}});
}

using Place = std::pair<std::int64_t, std::int64_t>;  // (stage, rank)

fs::path model_file(const fs::path& folder) {
  for (const char* name : file_names)
    if (is_there(folder / name)) return folder / name;
  refuse(ErrorCode::not_found, folder, "no model_optim_rng.pt here");
}

std::int64_t number(const std::string& digits) {
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::map<Place, fs::path> list_ranks(const fs::path& folder) {
  static const std::regex form(R"(mp_rank_(\d{2,7})(?:_(\d{3,7}))?)");
  std::map<Place, fs::path> ranks;
  for (const fs::path& entry : entries(folder)) {
    std::smatch match;
    const std::string name = entry.filename().string();
    if (!std::regex_match(name, match, form) || !is_folder(entry)) continue;
    const Place place{match[2].matched ? number(match[2]) : 0, number(match[1])};
    if (!ranks.emplace(place, model_file(entry)).second)
      refuse(ErrorCode::damaged, entry, "another folder is of the same rank");
  }
  return ranks;
}

void check_complete(const fs::path& folder, const std::map<Place, fs::path>& ranks) {
  std::int64_t stages = 0, width = 0;
  for (const auto& [place, path] : ranks) {
    stages = std::max(stages, place.first + 1);
    width = std::max(width, place.second + 1);
  }
  for (std::int64_t stage = 0; stage < stages; ++stage)
    for (std::int64_t rank = 0; rank < width; ++rank)
      if (!ranks.contains({stage, rank}))
        refuse(ErrorCode::not_found, folder,
               "tensor-parallel rank " + std::to_string(rank) + " of pipeline stage " + std::to_string(stage) +
                   " is missing");
}

// Older releases say "transformer" for "encoder" and "attention" for "self_attention".
std::string modern(std::string name) {
  if (name.starts_with("transformer.")) name.replace(0, 11, "encoder");
  const std::size_t attention = name.find(".attention.");
  if (attention != std::string::npos) name.replace(attention, 11, ".self_attention.");
  return name;
}

// The canonical key of a name below language_model; empty for one that has no place. `first_layer` is the number of
// layers in earlier stages.
std::string key_of(const std::string& name, std::int64_t first_layer) {
  const std::string encoder = "encoder.", embedding = "embedding.", layers = "layers.";
  const std::string now = modern(name);
  if (now == "output_layer.weight") return "head.weight";
  if (now.starts_with(embedding)) return now.substr(embedding.size());
  if (!now.starts_with(encoder)) return {};
  const std::string inner = now.substr(encoder.size());
  if (!inner.starts_with(layers)) return inner;
  const std::size_t dot = inner.find('.', layers.size());
  if (dot == std::string::npos || dot == layers.size() || dot > layers.size() + 7) return {};
  const std::string digits = inner.substr(layers.size(), dot - layers.size());
  if (digits.find_first_not_of("0123456789") != std::string::npos) return {};
  return layers + std::to_string(number(digits) + first_layer) + inner.substr(dot);
}

bool is_left_out(std::string_view name) { return name.ends_with("_extra_state") || name.ends_with(".inv_freq"); }

// Adds one rank's tensors; returns one more than the highest layer number met.
std::int64_t add_file(MegatronFiles& result, const std::shared_ptr<TensorFile>& file, std::int64_t first_layer) {
  std::int64_t end = first_layer;
  for (std::size_t i = 0; i < file->tensors().size(); ++i) {
    const std::string& whole = file->tensors()[i].name;
    if (!whole.starts_with(model_start) || is_left_out(whole)) continue;  // optimizer and random states
    const std::string name = whole.substr(model_start.size());
    std::string key;
    if (name == "word_embeddings_for_head.weight") key = "word_embeddings_for_head.weight";
    if (name.starts_with(language_model)) key = key_of(name.substr(language_model.size()), first_layer);
    if (key.empty()) {
      result.unexpected.push_back(whole);
      continue;
    }
    result.names[key] = whole;
    result.tensors[key].push_back({file, i});
    if (key.starts_with("layers.")) end = std::max(end, number(key.substr(7, key.find('.', 7) - 7)) + 1);
  }
  return end;
}

int version_of(const TorchFile& file) {
  const auto version = file.root().find("checkpoint_version");
  const double value = version ? version->number().value_or(-1) : 0;
  for (const int known : {0, 1, 2, 3})
    if (value == known) return known;
  refuse(ErrorCode::unsupported, file.path(), "checkpoint_version " + describe(*version) + " is not known");
}

const TorchFile& torch_of(const TensorFile& file) {
  if (file.torch() == nullptr) refuse(ErrorCode::not_a_trace, file.path(), "not a torch.save archive");
  const auto model = file.torch()->root().find("model");
  if (!model || !model->is(PickleKind::dict)) refuse(ErrorCode::not_found, file.path(), "has no dict \"model\"");
  return *file.torch();
}

std::map<Place, fs::path> files_of(const fs::path& path) {
  if (is_file(path)) return {{Place{0, 0}, path}};
  return list_ranks(path);
}

}  // namespace

std::optional<fs::path> classic_folder(const fs::path& path) {
  if (is_file(path)) {
    if (!looks_like_zip(path)) return std::nullopt;
    const auto model = TorchFile(path, UnknownClass::keep_inert).root().find("model");
    return model && model->find("language_model") ? std::optional(path) : std::nullopt;
  }
  const fs::path latest = path / "latest_checkpointed_iteration.txt";
  if (is_file(latest)) {
    const std::string text = read_small_file(latest, longest_tag);
    const std::size_t end = text.find_last_not_of(" \r\n");
    const std::string tag = text.substr(0, end == std::string::npos ? 0 : end + 1);
    const bool digits = !tag.empty() && tag.find_first_not_of("0123456789") == std::string::npos;
    if (tag != "release" && !digits) refuse(ErrorCode::damaged, latest, "holds neither a number nor release");
    const std::string folder = digits ? "iter_" + std::string(tag.size() < 7 ? 7 - tag.size() : 0, '0') + tag : tag;
    if (!is_folder(path / folder)) refuse(ErrorCode::not_found, latest, "names " + folder + ", which is not there");
    return path / folder;
  }
  return list_ranks(path).empty() ? std::nullopt : std::optional(path);
}

MegatronFiles open_classic(const fs::path& folder, UnknownClass unknown) {
  const std::map<Place, fs::path> ranks = files_of(folder);
  if (ranks.empty()) refuse(ErrorCode::not_found, folder, "no mp_rank_* folders here");
  check_complete(folder, ranks);
  MegatronFiles result{.path = folder, .layout = MegatronLayout::classic};
  std::int64_t first_layer = 0, next_layer = 0, stage = 0;
  for (const auto& [place, path] : ranks) {
    if (place.first != stage) first_layer = next_layer;
    stage = place.first;
    result.ranks = place.second + 1;
    const std::shared_ptr<TensorFile> file = open_tensor_file(path, unknown);
    const TorchFile& torch = torch_of(*file);
    if (!result.files.empty() && version_of(torch) != result.version)
      refuse(ErrorCode::damaged, path, "is of another checkpoint version than the other ranks");
    result.version = version_of(torch);
    next_layer = std::max(next_layer, add_file(result, file, first_layer));
    if (!result.args) result.args = torch.root().find("args");
    if (!result.info) result.info = torch.root().find("checkpoint_info");
    result.files.push_back(file);
  }
  return result;
}

}  // namespace goldentrace
