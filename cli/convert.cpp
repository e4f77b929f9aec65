#include "cli/convert.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "checkpoints/convert.h"
#include "cli/choice.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/number.h"
#include "cli/number_option.h"
#include "cli/progress.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

const char* const examples =
    "Examples:\n"
    "  gtrace convert checkpoints/global_step1000 gpt2-hf --to hf\n"
    "  gtrace convert gpt2-hf megatron --to megatron --tp 2 --layout classic --checkpoint-version 0\n"
    "  gtrace convert old_megatron gpt2-hf --to hf --heads 16 --vocab-size 50257\n\n";

constexpr std::int64_t largest_vocabulary = std::int64_t{1} << 31;

ReadOptions read_options(const ConvertOptions& options) {
  return {.heads = options.heads,
          .groups = options.groups,
          .vocab = options.vocab,
          .padding = options.keep_padding ? VocabularyPadding::keep : VocabularyPadding::cut,
          .replicas = options.replicas == "first" ? ReplicaRule::first : ReplicaRule::equal,
          .unknown = options.skip_unknown ? UnknownClass::keep_inert : UnknownClass::refuse};
}

MegatronOptions megatron_options(const ConvertOptions& options) {
  MegatronOptions megatron = options.megatron;
  megatron.layout = options.layout == "classic" ? MegatronLayout::classic : MegatronLayout::pipe;
  megatron.version = static_cast<int>(options.version);
  return megatron;
}

// Everything that could be refused is refused before a folder is made.
void check_target(const ConvertOptions& options, const GptWeights& weights) {
  if (options.kind == "hf")
    hf_model_for(weights.shape);
  else
    check_megatron_options(weights.shape, megatron_options(options));
}

void write(const ConvertOptions& options, const GptWeights& weights) {
  OutputFolder folder(options.to);
  {
    Progress bar("convert", options.output);
    const std::uint64_t total = total_bytes(weights);
    const auto progress = [&](std::uint64_t done) {
      throw_if_interrupted();
      bar.update(done, total);
    };
    if (options.kind == "hf")
      write_hf(folder.path(), weights, {.shard_bytes = options.shard_megabytes * 1'000'000}, progress);
    else
      write_megatron(folder.path(), weights, megatron_options(options), progress);
  }
  folder.publish();
}

nlohmann::ordered_json shape_json(const GptShape& shape) {
  return {{"layers", shape.layers},     {"hidden", shape.hidden},
          {"heads", shape.heads},       {"groups", shape.groups},
          {"ffn", shape.ffn},           {"vocab", shape.vocab},
          {"sequence", shape.sequence}, {"positions", name(shape.positions)}};
}

void report(const ConvertOptions& options, const GptWeights& weights) {
  const std::uint64_t bytes = total_bytes(weights);
  if (options.output.json) {
    const nlohmann::ordered_json json = {{"schema", "goldentrace.convert/1"},
                                         {"from", options.from.string()},
                                         {"to", options.to.string()},
                                         {"kind", options.kind},
                                         {"model", shape_json(weights.shape)},
                                         {"tensors", weights.parameters.size()},
                                         {"bytes", bytes},
                                         {"notes", weights.notes}};
    std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  } else if (options.output.text()) {
    std::cout << options.to.string() << ": " << weights.shape.layers << " layers, " << weights.parameters.size()
              << " tensors, " << human_bytes(bytes) << '\n';
  }
  if (options.output.quiet) return;
  for (const std::string& note : weights.notes) std::cerr << "gtrace: note: " << note << '\n';
}

void add_source_options(CLI::App& command, ConvertOptions& options) {
  const auto size = [&](const char* name, std::optional<std::int64_t>& value, const char* help) {
    integer_from(command.add_option(name, value, help), 1)->group("Source");
  };
  size("--heads", options.heads, "Attention heads, for a Megatron checkpoint without arguments");
  size("--query-groups", options.groups, "Groups of key and value heads, where the checkpoint does not say");
  size("--vocab-size", options.vocab, "Rows of a Megatron embedding that are tokens; the rest is padding");
  command.add_flag("--keep-padding", options.keep_padding, "Keep the padding of the vocabulary as tokens")
      ->group("Source");
  choice(
      command.add_option("--replicas", options.replicas, "Tensors that every rank holds: must be equal, or rank 0's"),
      {"equal", "first"})
      ->group("Source");
  command.add_flag("--skip-unknown", options.skip_unknown, "Pass over objects of unknown classes; they are never run")
      ->group("Source");
}

void add_target_options(CLI::App& command, ConvertOptions& options) {
  choice(command.add_option("--layout", options.layout, "Megatron: a file for each layer, or for each rank"),
         {"pipe", "classic"})
      ->group("Target");
  integer_between(command.add_option("--checkpoint-version", options.version, "Megatron, classic: order of the rows"),
                  0, 3)
      ->group("Target");
  integer_from(command.add_option("--tp", options.megatron.ranks, "Megatron: tensor-parallel ranks"), 1)
      ->group("Target");
  integer_between(command.add_option("--make-vocab-size-divisible-by", options.megatron.vocab_divisor,
                                     "Megatron: the vocabulary is padded to a multiple of this times --tp"),
                  1, largest_vocabulary)
      ->group("Target");
  integer_between(
      command.add_option("--pad-vocab-size-to", options.megatron.padded_vocab, "Megatron: padded vocabulary"), 1,
      largest_vocabulary)
      ->group("Target");
  integer_between(command.add_option("--shard-size", options.shard_megabytes, "hf: megabytes of a file"), 1,
                  std::int64_t{1} << 40)
      ->group("Target");
}

}  // namespace

void add_convert(CLI::App& app, ExitCode& result) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Convert a GPT checkpoint");
  command->add_option("from", options->from, "Hugging Face, Megatron-DeepSpeed or Megatron-LM checkpoint")
      ->required()
      ->type_name("PATH");
  command->add_option("folder", options->to, "The folder to make")->required()->type_name("FOLDER");
  choice(command->add_option("--to", options->kind, "What to make")->required(), {"hf", "megatron"});
  add_source_options(*command, *options);
  add_target_options(*command, *options);
  add_output_options(*command, options->output);
  command->footer(examples + exit_code_help());
  command->callback([options, &result] { result = run_convert(*options); });
}

ExitCode run_convert(const ConvertOptions& options) {
  watch_signals();
  const GptWeights weights = read_checkpoint(options.from, read_options(options));
  check_target(options, weights);
  try {
    write(options, weights);
  } catch (const Interrupted& interruption) {
    throw Error(ErrorCode::input_output,
                "interrupted by " + signal_name(interruption.signal) + "; nothing was written");
  }
  report(options, weights);
  return ExitCode::same;
}

}  // namespace goldentrace
