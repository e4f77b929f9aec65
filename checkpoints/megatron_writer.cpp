#include "checkpoints/megatron_args.h"
#include "checkpoints/megatron_pipe.h"
#include "checkpoints/megatron_weights.h"
#include "checkpoints/row_orders.h"
#include "checkpoints/small_file.h"
#include "checkpoints/tensor_parallel.h"
#include "traces/error.h"
#include "traces/file_status.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void misuse(const std::string& what) { throw Error(ErrorCode::usage, what); }

std::int64_t padded_size(const GptShape& shape, const MegatronOptions& options) {
  return options.padded_vocab ? *options.padded_vocab
                              : padded_vocabulary(shape.vocab, options.vocab_divisor * options.ranks);
}

// What every file of one call shares.
struct Job {
  const GptWeights& weights;
  MegatronOptions options;
  std::int64_t padded_vocab = 0;
  TorchProgress progress;
  std::uint64_t done = 0;  // bytes of the files before
};

TensorSource rank_source(const Job& job, const std::string& key, std::int64_t rank) {
  const Division division = division_of(key);
  StoredParameter part = job.weights.parameters.at(key);
  if (division == Division::vocabulary) part.rows = job.padded_vocab / job.options.ranks;
  if (division == Division::query_key_value || division == Division::mlp_rows) part.rows /= job.options.ranks;
  if (division == Division::columns) part.columns /= job.options.ranks;
  part.matrix = [matrix = part.matrix, &job, division, rank] {
    return rank_part(matrix(), division, job.weights.shape, job.options, job.padded_vocab, rank);
  };
  return source_of(part, key);
}

void write(Job& job, const fs::path& path, const TorchDict& content) {
  std::uint64_t last = 0;
  write_torch_file(path, content, [&](std::uint64_t done) {
    last = done;
    if (job.progress) job.progress(job.done + done);
  });
  job.done += last;
}

TorchDict facts(const Job& job) {
  const DType dtype = job.weights.parameters.at("word_embeddings.weight").dtype;
  return {{"args", megatron_arguments(job.weights.shape, job.options, job.padded_vocab, dtype, job.weights.args)},
          {"checkpoint_info",
           TorchDict{{"padded_vocab_size", job.padded_vocab}, {"original_vocab_size", job.weights.shape.vocab}}},
          {"iteration", std::int64_t{0}}};
}

// The members of one pipe file: canonical keys that begin with `start`, without it.
TorchDict members(const Job& job, const std::string& start, std::int64_t rank) {
  TorchDict dict;
  for (const ParameterShape& parameter : parameters_of(job.weights.shape))
    if (parameter.key.starts_with(start))
      dict.emplace_back(parameter.key.substr(start.size()), rank_source(job, parameter.key, rank));
  return dict;
}

TorchDict embedding_members(const Job& job, std::int64_t rank) {
  TorchDict dict;
  for (const ParameterShape& parameter : parameters_of(job.weights.shape))
    if (parameter.key.find("_embeddings.") != std::string::npos)
      dict.emplace_back(parameter.key, rank_source(job, parameter.key, rank));
  return dict;
}

void write_pipe_rank(Job& job, const fs::path& folder, std::int64_t rank) {
  const std::int64_t layers = job.weights.shape.layers;
  const auto place = [&](std::int64_t index) { return folder / pipe_file_name(index, rank); };
  write(job, place(pipe_embedding), embedding_members(job, rank));
  for (std::int64_t layer = 0; layer < layers; ++layer)
    write(job, place(pipe_first_layer + layer), members(job, "layers." + std::to_string(layer) + ".", rank));
  write(job, place(pipe_first_layer + layers + 1), members(job, "final_layernorm.", rank));
  if (!job.weights.shape.tied_head)
    write(job, place(pipe_first_layer + layers + 2), {{"lm_head.weight", rank_source(job, "head.weight", rank)}});
}

std::string two_digits(std::int64_t rank) { return (rank < 10 ? "0" : "") + std::to_string(rank); }

void write_pipe(Job& job, const fs::path& folder) {
  const std::string tag = "global_step0";
  make_folder(folder / tag);
  for (std::int64_t rank = 0; rank < job.options.ranks; ++rank) {
    write_pipe_rank(job, folder / tag, rank);
    TorchDict states = facts(job);
    states.emplace_back("checkpoint_version", 3.0);
    write(job, folder / tag / ("mp_rank_" + two_digits(rank) + "_model_states.pt"), states);
  }
  write_small_file(folder / "latest", tag);
}

// {"word_embeddings": {"weight": …, "norm": …}, …}: norm.weight stays a flat key, as upstream writes it.
TorchDict classic_embedding(const Job& job, std::int64_t rank) {
  TorchDict embedding;
  for (auto& [key, source] : embedding_members(job, rank)) {
    const std::size_t dot = key.find('.');
    const std::string table = key.substr(0, dot);
    if (embedding.empty() || embedding.back().first != table) embedding.emplace_back(table, TorchDict());
    std::get<TorchDict>(embedding.back().second).emplace_back(key.substr(dot + 1), std::move(source));
  }
  return embedding;
}

TorchDict classic_encoder(const Job& job, std::int64_t rank) {
  TorchDict encoder;
  for (const ParameterShape& parameter : parameters_of(job.weights.shape))
    if (parameter.key.starts_with("layers.") || parameter.key.starts_with("final_layernorm."))
      encoder.emplace_back(parameter.key, rank_source(job, parameter.key, rank));
  return encoder;
}

void write_classic(Job& job, const fs::path& folder) {
  make_folder(folder / "release");
  for (std::int64_t rank = 0; rank < job.options.ranks; ++rank) {
    TorchDict model{{"embedding", classic_embedding(job, rank)}, {"encoder", classic_encoder(job, rank)}};
    if (!job.weights.shape.tied_head)
      model.emplace_back("output_layer", TorchDict{{"weight", rank_source(job, "head.weight", rank)}});
    TorchDict states = facts(job);
    if (job.options.version > 0) states.emplace_back("checkpoint_version", static_cast<double>(job.options.version));
    states.emplace_back("model", TorchDict{{"language_model", std::move(model)}});
    const fs::path place = folder / "release" / ("mp_rank_" + two_digits(rank));
    make_folder(place);
    write(job, place / "model_optim_rng.pt", states);
  }
  write_small_file(folder / "latest_checkpointed_iteration.txt", "release");
}

}  // namespace

void check_megatron_options(const GptShape& shape, const MegatronOptions& options) {
  const std::string degree = "tensor-parallel degree " + std::to_string(options.ranks);
  if (shape.groups % options.ranks != 0 || shape.heads % options.ranks != 0)
    misuse(degree + " does not divide " + std::to_string(shape.groups) +
           (shape.groups == shape.heads ? " heads" : " query groups"));
  if (shape.ffn % options.ranks != 0) misuse(degree + " does not divide the ffn size " + std::to_string(shape.ffn));
  const std::int64_t padded = padded_size(shape, options);
  if (padded < shape.vocab)
    misuse("a padded vocabulary of " + std::to_string(padded) + " does not hold " + std::to_string(shape.vocab));
  if (padded % options.ranks != 0)
    misuse("a padded vocabulary of " + std::to_string(padded) + " is not divisible by " + degree);
  check_version(options.version, shape);
}

void write_megatron(const fs::path& folder, const GptWeights& weights, const MegatronOptions& options,
                    const TorchProgress& progress) {
  check_megatron_options(weights.shape, options);
  Job job{.weights = weights,
          .options = options,
          .padded_vocab = padded_size(weights.shape, options),
          .progress = progress};
  if (options.layout == MegatronLayout::pipe) job.options.version = 3;
  options.layout == MegatronLayout::pipe ? write_pipe(job, folder) : write_classic(job, folder);
}

}  // namespace goldentrace
