#include "checkpoints/checkpoint_listing.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "checkpoints/hf_config.h"
#include "checkpoints/hf_files.h"
#include "checkpoints/megatron_files.h"
#include "traces/error.h"
#include "traces/file_status.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> endings{".safetensors", ".pt", ".pth", ".bin", ".ckpt"};

bool begins_like_hdf5(const fs::path& path) {
  std::array<char, 4> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()) == "\x89HDF";
}

// The tensors can be listed without it.
std::vector<std::string> config_notes(const fs::path& folder) {
  try {
    read_hf_config(folder / "config.json");
    return {};
  } catch (const Error& error) {
    const bool foreign = error.code() == ErrorCode::unsupported;
    return {std::string(error.what()) + (foreign ? "" : "; the configuration is not known")};
  }
}

}  // namespace

bool looks_like_checkpoint(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure) || looks_like_zip(path)) return true;
  const std::string ending = path.extension().string();
  return std::ranges::find(endings, ending) != endings.end() && fs::is_regular_file(path, failure) &&
         !begins_like_hdf5(path);
}

CheckpointListing list_checkpoint(const fs::path& path, UnknownClass unknown) {
  if (!is_folder(path)) {
    const std::shared_ptr<TensorFile> file = open_tensor_file(path, unknown);
    return {std::string(file->format()), {file}, {}};
  }
  if (!is_megatron_checkpoint(path)) {
    std::vector<std::shared_ptr<TensorFile>> files = open_hf_files(path, unknown);
    return {"Hugging Face", std::move(files), config_notes(path)};
  }
  MegatronFiles files = open_megatron_files(path, unknown);
  return {files.layout == MegatronLayout::pipe ? "Megatron-DeepSpeed" : "Megatron-LM", std::move(files.files), {}};
}

}  // namespace goldentrace
