#include "cli/record_gpt.h"

#include <iostream>
#include <set>

#include "cli/gpt_data.h"
#include "cli/number.h"
#include "cli/recording.h"
#include "cli/scalar_type.h"
#include "models/gpt.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// Sets options of the model's configuration, each at most once, so that two ways to say a size cannot disagree.
class ConfigBuilder {
 public:
  void set(const std::string& option, const std::string& value) {
    if (!given_.insert(option).second) {
      throw Error(ErrorCode::usage, option + " is given twice; leave one of them out");
    }
    set_option(config_, option, value);
  }

  void set(const std::string& option, const std::optional<std::int64_t>& value) {
    if (value) set(option, std::to_string(*value));
  }

  void set_pair(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorCode::usage, "--set: '" + text + "' is not OPTION=VALUE, such as layer_norm_epsilon=1e-6");
    }
    set(text.substr(0, equals), text.substr(equals + 1));
  }

  const GptConfig& config() const { return config_; }

 private:
  GptConfig config_;
  std::set<std::string> given_;
};

GptConfig model_config(const RecordGptOptions& options) {
  ConfigBuilder builder;
  builder.set("n_layer", options.layers);
  builder.set("n_embd", options.hidden);
  builder.set("n_head", options.heads);
  builder.set("n_inner", options.ffn);
  builder.set("vocab_size", options.vocab);
  builder.set("n_positions", options.positions);
  if (options.dropout) {
    for (const char* name : {"embd_pdrop", "attn_pdrop", "resid_pdrop"}) builder.set(name, decimal(*options.dropout));
  }
  for (const std::string& pair : options.set) builder.set_pair(pair);
  return builder.config();
}

GptOptions trainer_options(const RecordOptions& all) {
  const RecordGptOptions& options = all.gpt;
  GptOptions result;
  result.config = model_config(options);
  result.steps = options.steps;
  result.optimizer = parse_optimizer_kind(options.optimizer);
  result.lr = options.lr;
  result.checkpoint = options.load;
  result.seed = all.run.seed;
  result.dtype = scalar_type(all.run.dtype);
  result.threads = all.run.threads;
  read_batches(options, result);
  return result;
}

Header facts(const GptOptions& options) {
  Header header{{"model.name", "gpt"},
                {"model.shape", "hf"},
                {"model.batch_size", std::to_string(options.batch_size)},
                {"model.seq_len", std::to_string(options.seq_len)},
                {"model.steps", std::to_string(options.steps)},
                {"model.optimizer", std::string(name(options.optimizer))},
                {"model.lr", decimal(options.lr)}};
  for (const auto& [option, value] : describe(options.config)) header["model." + option] = value;
  return header;
}

}  // namespace

ExitCode run_record_gpt(const RecordOptions& options) {
  const GptOptions trainer = trainer_options(options);
  check(trainer);
  RecordedModel model;
  model.header = facts(trainer);
  model.steps = trainer.steps;
  model.heads = trainer.config.n_head;
  model.train = [&](const Events& events, const auto& log) {
    const GptResult result = train_gpt(trainer, events, log);
    if (options.output.quiet) return;
    for (const std::string& note : result.notes) std::cerr << "gtrace record: note: " << note << '\n';
  };
  return run_recording(options, model);
}

}  // namespace goldentrace
