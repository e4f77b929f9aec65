#include "cli/record_mlp.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/choice.h"
#include "cli/number.h"
#include "cli/rank_launch.h"
#include "cli/rank_role.h"
#include "cli/recording.h"
#include "cli/scalar_type.h"
#include "models/mlp.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

[[noreturn]] void contradiction(const std::string& flag, const std::string& variant) {
  throw Error(ErrorCode::usage, flag + " contradicts --variant " + variant + "; leave one of them out");
}

// The variant that the flags ask for when none is named.
std::string implied_variant(const RecordMlpOptions& options, std::int64_t ranks) {
  std::string name = ranks > 1                                 ? "dp" + std::to_string(ranks)
                     : options.accumulation_loop               ? "ga-while"
                     : options.gradient_accumulation_steps > 1 ? "ga-loop"
                                                               : "plain";
  return options.gradient_checkpointing ? name + "-ckpt" : name;
}

void check_flags(const RecordMlpOptions& options, const std::string& variant) {
  const bool checkpointed = variant.ends_with("-ckpt");
  if (options.gradient_checkpointing && !checkpointed) contradiction("--use_gradient_checkpointing", variant);
  if (options.accumulation_loop && !variant.starts_with("ga-while")) {
    contradiction("--use_gradient_accumulation_loop", variant);
  }
  if (options.gradient_accumulation_steps != 1 && !variant.starts_with("ga-")) {
    contradiction("--gradient_accumulation_steps", variant);
  }
}

std::string variant_of(const RecordMlpOptions& options, std::int64_t ranks) {
  const std::string variant = options.variant.value_or(implied_variant(options, ranks));
  if (!is_choice(variant, mlp_variants())) refuse_choice("--variant", variant, mlp_variants());
  check_flags(options, variant);
  const std::string shards = "dp" + std::to_string(ranks);
  if (ranks > 1 && variant != shards && variant != shards + "-ckpt")
    throw Error(ErrorCode::usage, std::to_string(ranks) + " ranks need --variant dp" + std::to_string(ranks) +
                                      ", a shard for each, not " + variant);
  return variant;
}

MlpSharding sharding_of(const RecordMlpOptions& options) {
  MlpSharding sharding;
  for (const std::string& name : options.sharding) add_sharding(sharding, name);
  sharding.devices = options.devices.value_or(options.sharding.empty() ? 1 : 2);
  return sharding;
}

MlpOptions trainer_options(const RecordOptions& all) {
  const RecordMlpOptions& options = all.mlp;
  MlpOptions result;
  set_variant(result, variant_of(options, all.run.ranks));
  result.batch_size = options.batch_size;
  result.num_epochs = options.num_epochs;
  result.lr = options.lr;
  result.log_steps = options.log_steps;
  result.input_dim = options.input_dim;
  result.train_dataset_len = options.train_dataset_len;
  result.gradient_accumulation_steps = options.gradient_accumulation_steps;
  result.sharding = sharding_of(options);
  result.seed = all.run.seed;
  result.dtype = scalar_type(all.run.dtype);
  result.threads = all.run.threads;
  return result;
}

Header facts(const MlpOptions& options) {
  Header header{{"model.name", "mlp"},
                {"model.variant", variant_name(options)},
                {"model.batch_size", std::to_string(options.batch_size)},
                {"model.num_epochs", std::to_string(options.num_epochs)},
                {"model.lr", decimal(options.lr)},
                {"model.input_dim", std::to_string(options.input_dim)},
                {"model.train_dataset_len", std::to_string(options.train_dataset_len)},
                {"model.gradient_accumulation_steps", std::to_string(options.gradient_accumulation_steps)}};
  if (options.sharding.devices == 1) return header;
  header["model.sharding"] = sharding_names(options.sharding);
  header["model.devices"] = std::to_string(options.sharding.devices);
  return header;
}

// A test suite that leaves checkpointing out must not take that for a run that passed.
ExitCode skip_checkpointed(const RecordOptions& options, const std::string& variant) {
  const std::string reason = variant + " is skipped: --skip-gradient-checkpointing; nothing was recorded";
  if (options.output.json)
    std::cout << nlohmann::ordered_json{{"schema", "goldentrace.record/1"}, {"skipped", reason}}.dump(2) << '\n';
  else
    std::cout << reason << '\n';
  return ExitCode::same;
}

// check() has refused what could overflow; the evaluation is a step too.
std::int64_t step_count(const MlpOptions& options) {
  const std::int64_t rows = options.batch_size * options.gradient_accumulation_steps;
  return options.num_epochs * (options.train_dataset_len / rows) + 1;
}

// Of shards that one process trains one after another; files of ranks say it themselves.
Header shard_facts(const MlpOptions& options) {
  if (options.variant != MlpVariant::dp) return {};
  return {
      {"ranks", std::to_string(options.shards)}, {"ranks.data", std::to_string(options.shards)}, {"ranks.tensor", "1"}};
}

}  // namespace

ExitCode run_record_mlp(const RecordOptions& given) {
  const RankRole role(given);
  const RecordOptions& options = role.options();
  MlpOptions trainer = trainer_options(options);
  check(trainer);
  if (options.mlp.skip_gradient_checkpointing && trainer.checkpointing == Checkpointing::on)
    return skip_checkpointed(options, variant_name(trainer));
  if (role.starts_others()) return launch_ranks(options);
  const std::unique_ptr<RankRun> ranks = role.join(1);
  if (ranks) trainer.ranks = &ranks->mesh().data();
  RecordedModel model;
  model.header = facts(trainer);
  model.header.merge(ranks ? ranks->facts() : shard_facts(trainer));
  model.steps = step_count(trainer);
  model.train = [&](const Events& events, const auto& log) {
    train_mlp(trainer, events, log);
    if (ranks) ranks->leave();
  };
  return run_recording(options, model);
}

}  // namespace goldentrace
