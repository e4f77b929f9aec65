#include "checkpoints/megatron_args.h"
#include "checkpoints/megatron_weights.h"
#include "checkpoints/row_orders.h"
#include "checkpoints/tensor_parallel.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

const std::string embedding_key = "word_embeddings.weight", head_copy_key = "word_embeddings_for_head.weight",
                  head_key = "head.weight";

using Shards = std::vector<Shard>;

[[noreturn]] void refuse(const MegatronFiles& files, const std::string& key, const std::string& what) {
  const auto name = files.names.find(key);
  throw Error(ErrorCode::damaged, what,
              {.file = files.path.string(), .record = name == files.names.end() ? key : name->second});
}

// Every rank has the tensor, with the shape and dtype of the first.
void check_shards(const MegatronFiles& files, const std::string& key, const Shards& shards) {
  if (static_cast<std::int64_t>(shards.size()) != files.ranks)
    refuse(files, key,
           "is in " + std::to_string(shards.size()) + " files of " + std::to_string(files.ranks) +
               " tensor-parallel ranks");
  for (const Shard& shard : shards)
    if (shard.view().shape != shards[0].view().shape || shard.view().dtype != shards[0].view().dtype)
      refuse(files, key,
             "is " + describe(shards[0].view()) + " on one rank and " + describe(shard.view()) + " on another");
}

void check_replicas(const MegatronFiles& files, const std::string& key, const Shards& shards) {
  for (std::size_t rank = 1; rank < shards.size(); ++rank)
    if (!equal_elements(matrix_of(shards[0].view()), matrix_of(shards[rank].view())))
      refuse(files, key,
             "differs between tensor-parallel ranks 0 and " + std::to_string(rank) +
                 "; --replicas first takes that of rank 0");
}

std::function<void()> checks_of(const MegatronFiles& files, const std::string& key, const Shards& shards,
                                bool replicated) {
  return [&files, key, shards, replicated] {
    for (const Shard& shard : shards) shard.file->check(shard.tensor);
    if (replicated) check_replicas(files, key, shards);
  };
}

// Extents after merging; those of a tensor whose own extents are wrong stay wrong and are reported with all others.
void set_extents(StoredParameter& parameter, Division division, const GptShape& shape, std::int64_t ranks) {
  if (division == Division::columns) parameter.columns *= ranks;
  if (division == Division::query_key_value || division == Division::mlp_rows) parameter.rows *= ranks;
  if (division != Division::vocabulary) return;
  parameter.rows *= ranks;
  if (parameter.rows >= shape.vocab) parameter.rows = shape.vocab;
}

StoredParameter merged(const std::shared_ptr<MegatronFiles>& files, const std::string& key, const GptShape& shape,
                       const ReadOptions& options) {
  const Shards& shards = files->tensors.at(key);
  check_shards(*files, key, shards);
  const Division division = division_of(key);
  StoredParameter parameter = parameter_of(shards[0].file, shards[0].tensor);
  set_extents(parameter, division, shape, files->ranks);
  const bool compare = division == Division::replicated && options.replicas == ReplicaRule::equal;
  parameter.check = [files, check = checks_of(*files, key, shards, compare)] { check(); };
  parameter.matrix = [files, &shards, division, shape] {
    std::vector<Matrix> parts;
    for (const Shard& shard : shards) parts.push_back(matrix_of(shard.view()));
    return merge_ranks(std::move(parts), division, shape, files->version);
  };
  return parameter;
}

// The last pipeline stage holds a copy of the embedding for the head; or it is the head of an untied model.
void settle_head_copy(const std::shared_ptr<MegatronFiles>& files) {
  const auto copy = files->tensors.find(head_copy_key);
  const auto embedding = files->tensors.find(embedding_key);
  if (copy == files->tensors.end() || embedding == files->tensors.end()) return;
  check_shards(*files, head_copy_key, copy->second);
  check_shards(*files, embedding_key, embedding->second);
  for (std::size_t rank = 0; rank < copy->second.size(); ++rank) {
    const Shard &ours = copy->second[rank], &theirs = embedding->second[rank];
    for (const Shard* shard : {&ours, &theirs}) shard->file->check(shard->tensor);
    if (!equal_elements(matrix_of(ours.view()), matrix_of(theirs.view()))) {
      files->notes.emplace_back("tied but different: word_embeddings_for_head was dropped");
      break;
    }
  }
  files->tensors.erase(copy);
}

void note_replicas(GptWeights& weights, const MegatronFiles& files, const ReadOptions& options) {
  if (options.replicas == ReplicaRule::first && files.ranks > 1)
    weights.notes.emplace_back("replicated tensors were taken from rank 0 without comparing the ranks");
}

}  // namespace

GptWeights read_megatron(const std::filesystem::path& path, const ReadOptions& options) {
  const auto files = std::make_shared<MegatronFiles>(open_megatron_files(path, options.unknown));
  settle_head_copy(files);
  GptWeights weights{.shape = read_megatron_shape(*files, options), .args = plain_arguments(*files)};
  check_version(files->version, weights.shape);
  if (weights.shape.heads % files->ranks != 0 || weights.shape.groups % files->ranks != 0 ||
      weights.shape.ffn % files->ranks != 0)
    throw Error(ErrorCode::damaged,
                std::to_string(files->ranks) + " tensor-parallel ranks do not divide its heads and ffn size",
                {.file = files->path.string(), .record = {}});
  for (const auto& [key, shards] : files->tensors)
    weights.parameters.emplace(key, merged(files, key, weights.shape, options));
  weights.notes = files->notes;
  note_replicas(weights, *files, options);
  weights.files = files->files;
  check_parameters(weights, files->path, files->unexpected, [&](const std::string& key) {
    const auto name = files->names.find(key);
    return name == files->names.end() ? key : name->second;
  });
  return weights;
}

}  // namespace goldentrace
