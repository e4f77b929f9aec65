#include "checkpoints/hf_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "checkpoints/hf_index.h"
#include "checkpoints/small_file.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> single_files{"model.safetensors", "pytorch_model.bin"};
constexpr std::string_view index_ending = ".index.json";
constexpr std::uint64_t longest_index = 100'000'000;
constexpr std::size_t most_names = 20;  // in one error line

using Files = std::vector<std::shared_ptr<TensorFile>>;
using Names = std::set<std::string>;

[[noreturn]] void refuse(ErrorCode code, const fs::path& path, const std::string& what) {
  throw Error(code, what, {.file = path.string(), .record = {}});
}

std::string joined(const Names& names) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == most_names) return text + ", … (" + std::to_string(names.size()) + ")";
    text += (text.empty() ? "" : ", ") + printable(name);
  }
  return text;
}

// Shards have names of the form model-00001-of-00002.safetensors.
Names shards_in(const fs::path& folder, std::string_view stem, std::string_view ending) {
  Names names;
  for (const fs::path& entry : entries(folder)) {
    const std::string name = entry.filename().string();
    if (name.starts_with(std::string(stem) + "-") && name.ends_with(ending)) names.insert(name);
  }
  return names;
}

void check_shards(const fs::path& index, const std::string& single, const Names& wanted) {
  Names missing, surplus;
  for (const std::string& name : wanted)
    if (!is_there(index.parent_path() / name)) missing.insert(name);
  if (!missing.empty()) refuse(ErrorCode::not_found, index, "names shards that are not there: " + joined(missing));
  const std::size_t dot = single.rfind('.');
  for (const std::string& name : shards_in(index.parent_path(), single.substr(0, dot), single.substr(dot)))
    if (!wanted.contains(name)) surplus.insert(name);
  if (!surplus.empty()) refuse(ErrorCode::damaged, index, "does not name these shards beside it: " + joined(surplus));
}

void check_shard(const fs::path& index, const TensorFile& file, Names wanted) {
  Names surplus;
  for (const NamedView& tensor : file.tensors())
    if (wanted.erase(tensor.name) == 0) surplus.insert(tensor.name);
  const std::string shard = file.path().filename().string();
  if (!wanted.empty()) refuse(ErrorCode::not_found, index, "not in " + shard + ": " + joined(wanted));
  if (!surplus.empty())
    refuse(ErrorCode::damaged, index, "does not name these tensors of " + shard + ": " + joined(surplus));
}

std::map<std::string, std::string> read_index(const fs::path& path) {
  try {
    return parse_hf_index(read_small_file(path, longest_index));
  } catch (const Error& error) {
    refuse(error.code(), error.place().file.empty() ? path : fs::path(), error.what());
  }
}

Files open_shards(const fs::path& index, const std::string& single, UnknownClass unknown) {
  std::map<std::string, Names> tensors;  // of each shard
  Names shards;
  for (const auto& [tensor, shard] : read_index(index)) {
    tensors[shard].insert(tensor);
    shards.insert(shard);
  }
  check_shards(index, single, shards);
  Files files;
  for (const std::string& shard : shards) {
    files.push_back(open_tensor_file(index.parent_path() / shard, unknown));
    check_shard(index, *files.back(), tensors[shard]);
  }
  return files;
}

}  // namespace

std::vector<std::shared_ptr<TensorFile>> open_hf_files(const fs::path& path, UnknownClass unknown) {
  if (!is_folder(path)) return {open_tensor_file(path, unknown)};
  for (const std::string_view single : single_files) {
    if (is_there(path / single)) return {open_tensor_file(path / single, unknown)};
    const fs::path index = path / (std::string(single) + std::string(index_ending));
    if (is_there(index)) return open_shards(index, std::string(single), unknown);
  }
  refuse(ErrorCode::not_found, path,
         "no checkpoint here: neither model.safetensors nor pytorch_model.bin nor an index");
}

}  // namespace goldentrace
