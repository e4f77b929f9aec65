// The shards of a Megatron checkpoint on disk, before anything is merged.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoints/convert_options.h"
#include "checkpoints/tensor_file.h"

namespace goldentrace {

// One tensor-parallel rank's part of a tensor.
struct Shard {
  std::shared_ptr<TensorFile> file;
  std::size_t tensor = 0;

  const StridedTensor& view() const { return file->tensors()[tensor].view; }
};

struct MegatronFiles {
  std::filesystem::path path;
  MegatronLayout layout = MegatronLayout::pipe;
  int version = 2;         // of the row order
  std::int64_t ranks = 1;  // tensor-parallel
  // By canonical key, a shard of each rank. Layers are numbered through all pipeline stages.
  std::map<std::string, std::vector<Shard>> tensors;
  std::map<std::string, std::string> names;  // the checkpoint's own name of a canonical key
  std::vector<std::string> unexpected;       // keys without a place
  std::vector<std::string> notes;
  std::vector<std::shared_ptr<TensorFile>> files;
  std::optional<PickleValue> args;  // argparse.Namespace or dict
  std::optional<PickleValue> info;  // {padded_vocab_size, original_vocab_size}
};

// True for a folder that looks like one of the two layouts, or a file like model_optim_rng.pt.
bool is_megatron_checkpoint(const std::filesystem::path& path);

// Follows `latest` and latest_checkpointed_iteration.txt. Error(not_found) names files that should be there, damaged
// for shards that do not belong together; errors of the files.
MegatronFiles open_megatron_files(const std::filesystem::path& path, UnknownClass unknown);

}  // namespace goldentrace
