#include "cli/record_gpt.h"

#include <algorithm>
#include <iostream>
#include <set>

#include "cli/gpt_data.h"
#include "cli/number.h"
#include "cli/output_file.h"
#include "cli/rank_launch.h"
#include "cli/rank_role.h"
#include "cli/recording.h"
#include "cli/scalar_type.h"
#include "models/gpt.h"
#include "models/gpt_checkpoint.h"
#include "models/gpt_presets.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// What --layers and its like are called in the configuration of each shape; empty: fixed there.
struct SizeNames {
  const char *layers, *hidden, *heads, *ffn, *vocab, *positions;
  std::vector<std::string> dropouts;
};

SizeNames size_names(GptKind kind) {
  switch (kind) {
    case GptKind::hf:
      return {"n_layer",
              "n_embd",
              "n_head",
              "n_inner",
              "vocab_size",
              "n_positions",
              {"embd_pdrop", "attn_pdrop", "resid_pdrop"}};
    case GptKind::megatron:
      return {"num_layers",
              "hidden_size",
              "num_attention_heads",
              "ffn_hidden_size",
              "vocab_size",
              "max_position_embeddings",
              {"attention_dropout", "hidden_dropout"}};
    case GptKind::bloom:
      break;
  }
  return {"n_layer", "hidden_size", "n_head", "", "vocab_size", "", {"hidden_dropout", "attention_dropout"}};
}

// Sets options of the model's configuration, each at most once, so that two ways to say a size cannot disagree.
class ConfigBuilder {
 public:
  explicit ConfigBuilder(GptOptions& options) : options_(options) {}

  void set(std::string option, const std::string& value) {
    if (options_.kind == GptKind::megatron) std::ranges::replace(option, '-', '_');
    if (!given_.insert(option).second) {
      throw Error(ErrorCode::usage, option + " is given twice; leave one of them out");
    }
    if (given_.contains("pad_vocab_size_to") && given_.contains("make_vocab_size_divisible_by")) {
      throw Error(ErrorCode::usage, "pad_vocab_size_to and make_vocab_size_divisible_by exclude each other");
    }
    set_option(options_, option, value);
  }

  void set(const char* option, const char* flag, const std::optional<std::int64_t>& value) {
    if (!value) return;
    if (*option == 0) {
      throw Error(ErrorCode::usage, std::string(flag) + " means nothing in the shape " +
                                        std::string(name(options_.kind)) + "; leave it out");
    }
    set(option, std::to_string(*value));
  }

  void set_pair(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorCode::usage, "--set: '" + text + "' is not OPTION=VALUE, such as layer_norm_epsilon=1e-6");
    }
    set(text.substr(0, equals), text.substr(equals + 1));
  }

 private:
  GptOptions& options_;
  std::set<std::string> given_;
};

void configure(const RecordGptOptions& options, GptOptions& result) {
  if (options.preset) apply_preset(result, *options.preset);
  if (!result.checkpoint.empty()) adopt_checkpoint(result);
  const SizeNames names = size_names(result.kind);
  ConfigBuilder builder(result);
  builder.set(names.layers, "--layers", options.layers);
  builder.set(names.hidden, "--hidden", options.hidden);
  builder.set(names.heads, "--heads", options.heads);
  builder.set(names.ffn, "--ffn", options.ffn);
  builder.set(names.vocab, "--vocab", options.vocab);
  builder.set(names.positions, "--positions", options.positions);
  if (options.dropout) {
    for (const std::string& name : names.dropouts) builder.set(name, decimal(*options.dropout));
  }
  for (const std::string& pair : options.set) builder.set_pair(pair);
}

// Prefixes make the model a prefix-LM, so that nobody gives them in vain.
GptOptions trainer_options(const RecordOptions& all, Header& data) {
  const RecordGptOptions& options = all.gpt;
  GptOptions result;
  result.kind = parse_gpt_kind(options.shape);
  result.checkpoint = options.load;
  configure(options, result);
  result.megatron.prefix_lm = result.megatron.prefix_lm || !options.prefixes.empty();
  result.steps = options.steps;
  result.optimizer = parse_optimizer_kind(options.optimizer);
  result.lr = options.lr;
  result.seed = all.run.seed;
  result.dtype = scalar_type(all.run.dtype);
  result.threads = all.run.threads;
  result.processes = all.run.ranks;
  data = read_batches(options, result);
  return result;
}

Header facts(const GptOptions& options) {
  Header header{{"model.name", "gpt"},
                {"model.shape", std::string(name(options.kind))},
                {"model.batch_size", std::to_string(options.batch_size)},
                {"model.seq_len", std::to_string(options.seq_len)},
                {"model.steps", std::to_string(options.steps)},
                {"model.optimizer", std::string(name(options.optimizer))},
                {"model.lr", decimal(options.lr)}};
  for (const auto& [option, value] : describe(options)) header["model." + option] = value;
  for (const auto& [fact, value] : modelled_paths(options)) header["model." + fact] = value;
  return header;
}

// The trace must not take the place of what the run is fed with.
void check_output(const RecordOptions& options) {
  const RecordGptOptions& gpt = options.gpt;
  if (options.capture.output.empty()) return;
  check_output_file(options.capture.output,
                    {gpt.load, gpt.tokens, gpt.text, gpt.labels, gpt.mask, gpt.prefixes, gpt.tokenizer});
}

}  // namespace

ExitCode run_record_gpt(const RecordOptions& given) {
  check_output(given);
  const RankRole role(given);
  const RecordOptions& options = role.options();
  check_output(options);
  Header data;
  GptOptions trainer = trainer_options(options, data);
  check(trainer);
  if (role.starts_others()) return launch_ranks(options);
  const std::unique_ptr<RankRun> ranks = role.join(tensor_degree(trainer));
  if (ranks) trainer.ranks = &ranks->mesh();
  RecordedModel model;
  model.header = facts(trainer);
  model.header.merge(data);
  if (ranks) model.header.merge(ranks->facts());
  model.steps = trainer.steps;
  model.heads = head_count(trainer) / tensor_degree(trainer);
  model.train = [&](const Events& events, const auto& log) {
    const GptResult result = train_gpt(trainer, events, log);
    if (ranks) ranks->leave();
    if (options.output.quiet) return;
    for (const std::string& note : result.notes) std::cerr << "gtrace record: note: " << note << '\n';
  };
  return run_recording(options, model);
}

}  // namespace goldentrace
