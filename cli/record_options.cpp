#include "cli/record_options.h"

#include <CLI/CLI.hpp>

#include "cli/choice.h"
#include "cli/command_line.h"
#include "cli/number_option.h"

namespace goldentrace {
namespace {

const char* const examples =
    "Examples:\n"
    "  gtrace record mlp -o golden.h5 --input_dim 64\n"
    "  gtrace record gpt -o run.h5 --layers 2 --hidden 64 --heads 2 --vocab 101 --positions 32 --seq 16\n"
    "  gtrace record mlp -o fault.h5 --input_dim 64 --plant scale=1.01@layers.2\n"
    "  gtrace record mlp -o run.h5 --input_dim 64 --capture check --golden golden.h5 --stop-after 10\n"
    "  gtrace record -o run.h5 -- ./my_program --its-own-option\n\n";

constexpr std::uint64_t smallest_segment = 1000, smallest_pool = 1000;
constexpr std::int64_t most_workers = 256;

void add_capture(CLI::App& app, CaptureOptions& options) {
  app.add_option("-o,--output", options.output, "The trace to write")->type_name("FILE");
  choice(app.add_option("--capture", options.capture,
                        "What is kept: payloads; fingerprints; payloads where the golden differs"),
         {"full", "sketch", "check"});
  app.add_option("--golden", options.golden, "The trace that check compares with")->type_name("FILE");
  integer_from(app.add_option("--stop-after", options.stop_after, "Of check: end after N differences, 0: never"), 0);
  app.add_option("--level-file", options.level_file, "A word in it is the level from then on: full, sketch, check, off")
      ->type_name("FILE");
  app.add_flag("--ops", options.ops, "Also hash and statistics of every op output");
  app.add_option("--layers-only", options.layers_only, "Record only these layers; repeatable")->type_name("GLOB");
  app.add_option("--record-steps", options.record_steps, "Record only these steps, such as 0,4-7")->type_name("LIST");
  auto* roles = app.add_option("--roles", options.roles, "Keep payloads of these roles only, comma-separated");
  choice(roles, {"input", "output", "grad_output", "grad_input", "param", "param_grad", "buffer", "loss"});
  roles->delimiter(',')->type_name("LIST");
  choice(app.add_option("--self-check", options.self_check, "Replay each layer while recording and compare"),
         {"first", "every", "none"});
  integer_between(app.add_option("--sketch-size", options.sketch_size, "Numbers in a sketch, 0: no sketches"), 0,
                  65536);
  choice(app.add_option("--codec", options.codec, "How payloads are compressed"),
         {"standard", "fast", "small", "none"});
  byte_size(
      app.add_option("--segment-size", options.segment_size, "Begin another file after the step that passes this size"),
      smallest_segment);
  choice(app.add_option("--when-full", options.when_full,
                        "When the pool is full: the model waits, or payloads are dropped"),
         {"block", "sketch"});
  byte_size(app.add_option("--pool-size", options.pool_size, "Memory for payloads that are not written yet (512 MiB)"),
            smallest_pool);
  integer_between(app.add_option("--workers", options.workers, "Threads that compress and write, 0: by the processor"),
                  0, most_workers);
  app.add_flag("--withhold-command-line", options.withhold_command_line, "Leave the command line out of the trace");
  for (CLI::Option* option : app.get_options()) {
    if (option->get_group() == "Options" && option != app.get_help_ptr()) option->group("Recording");
  }
}

void add_run(CLI::App& app, RunOptions& options) {
  unsigned_integer(app.add_option("--seed", options.seed, "Seed of the random generator"));
  choice(app.add_option("--dtype", options.dtype, "Element type of the model"),
         {"float32", "bfloat16", "float16", "float64"});
  choice(app.add_option("--device", options.device, "Where the model runs"), {"cpu"});
  integer_between(app.add_option("--threads", options.threads, "Threads of LibTorch, 0: its own choice"), 0, 4096);
  app.add_option("--plant", options.plant, "A deliberate fault: an extra op at the output of a layer")
      ->type_name("KIND@LAYER");
  integer_between(app.add_option("--ranks", options.ranks, "Processes; each writes a file of its own, run.rank0.h5 …"),
                  1, 1024);
  integer_between(app.add_option("--rank-timeout", options.rank_timeout,
                                 "Seconds that a rank waits for another before it gives up"),
                  1, 86400);
  for (CLI::Option* option : app.get_options()) {
    if (option->get_group() == "Options" && option != app.get_help_ptr()) option->group("Run");
  }
}

std::string plant_help() { return "KIND of --plant: " + CLI::detail::join(plant_kinds(), ", ") + "\n\n"; }

void add_mlp(CLI::App& record, RecordOptions& all) {
  RecordMlpOptions& options = all.mlp;
  CLI::App* app = record.add_subcommand("mlp", "Train the linear-model MLP and record it");
  choice(app->add_option("--variant", options.variant,
                         "Training loop (default: plain, with accumulation ga-loop, with --ranks K dpK)"),
         mlp_variants());
  integer_from(app->add_option("--batch_size", options.batch_size, "Rows of a micro-batch"), 1);
  integer_from(app->add_option("--num_epochs", options.num_epochs, "Epochs"), 1);
  any_number(app->add_option("--lr", options.lr, "Learning rate of SGD"));
  integer_from(app->add_option("--log_steps", options.log_steps, "Log a line at every multiple of this counter"), 1);
  integer_from(app->add_option("--input_dim", options.input_dim, "Input size D"), 2);
  integer_from(app->add_option("--train_dataset_len", options.train_dataset_len, "Rows of an epoch"), 1);
  integer_from(
      app->add_option("--gradient_accumulation_steps", options.gradient_accumulation_steps, "Micro-batches of a step"),
      1);
  app->add_flag("--use_gradient_checkpointing", options.gradient_checkpointing, "The -ckpt form of the variant");
  app->add_flag("--use_gradient_accumulation_loop", options.accumulation_loop, "The ga-while variant");
  choice(app->add_option("--sharding", options.sharding, "Spread over the devices of a mesh; several, by commas")
             ->delimiter(','),
         mlp_sharding_names());
  integer_between(app->add_option("--devices", options.devices,
                                  "Devices of the mesh, played one after another (default: 2 with --sharding)"),
                  2, 1024);
  app->add_flag("--skip-gradient-checkpointing", options.skip_gradient_checkpointing,
                "Leave a checkpointed variant out: say that it is skipped, write nothing");
  for (CLI::Option* option : app->get_options()) {
    if (option != app->get_help_ptr()) option->group("MLP trainer");
  }
  add_run(*app, all.run);
  add_capture(*app, all.capture);
  add_output_options(*app, all.output);
  app->footer(
      "Example:\n  gtrace record mlp -o ga.h5 --variant ga-loop --gradient_accumulation_steps 8 --input_dim 64\n\n" +
      plant_help() + exit_code_help());
}

void add_gpt_shape(CLI::App& app, RecordGptOptions& options) {
  choice(app.add_option("--shape", options.shape, "Which GPT"), {"hf", "megatron", "bloom"});
  choice(app.add_option("--preset", options.preset, "Sizes and options of a published run"),
         {"13B-en", "13B-ml", "200B"});
  integer_from(app.add_option("--layers", options.layers, "Blocks (12; bloom 2)"), 1);
  integer_from(app.add_option("--hidden", options.hidden, "Width (768; bloom 64)"), 1);
  integer_from(app.add_option("--heads", options.heads, "Attention heads (12; bloom 8)"), 1);
  integer_from(app.add_option("--ffn", options.ffn, "Width of the MLP (4 x hidden)"), 1);
  integer_from(app.add_option("--vocab", options.vocab, "Vocabulary (50257; bloom 250880)"), 1);
  integer_from(app.add_option("--positions", options.positions, "Rows of the position table (1024)"), 1);
  probability(app.add_option("--dropout", options.dropout, "All dropouts of the model (0.1; bloom 0)"));
  app.add_option("--set", options.set,
                 "A model option by its name in config.json or of Megatron's argument; repeatable")
      ->type_name("OPTION=VALUE");
  app.add_option("--load", options.load, "Initial weights, and the sizes that it tells: a checkpoint")
      ->type_name("PATH");
}

void add_gpt_training(CLI::App& app, RecordGptOptions& options) {
  integer_from(app.add_option("--batch", options.batch, "Sequences of a batch (4)"), 1);
  integer_from(app.add_option("--seq", options.seq, "Tokens of a sequence (32)"), 2);
  integer_from(app.add_option("--steps", options.steps, "Optimizer steps"), 1);
  choice(app.add_option("--optimizer", options.optimizer, "Optimizer"), {"sgd", "adamw"});
  any_number(app.add_option("--lr", options.lr, "Learning rate"));
  auto* tokens = app.add_option("--tokens", options.tokens, "Token ids: .npy, or numbers as text");
  auto* text = app.add_option("--text", options.text, "A text; its bytes, or the tokens of --tokenizer, are the ids");
  tokens->type_name("FILE")->excludes(text);
  text->type_name("FILE");
  app.add_option("--tokenizer", options.tokenizer, "A folder with vocab.json and merges.txt of GPT-2's tokenizer")
      ->type_name("DIR");
  app.add_option("--labels", options.labels, "Targets, shaped like the ids, never shifted; -100: ignored")
      ->type_name("FILE");
  app.add_option("--mask", options.mask, "Attention mask, shaped like the ids; 0: padding")->type_name("FILE");
  app.add_option("--prefixes", options.prefixes, "Prefix lengths of prefix-LM, one line for each sequence")
      ->type_name("FILE");
}

void add_gpt(CLI::App& record, RecordOptions& all) {
  CLI::App* app = record.add_subcommand("gpt", "Train a GPT and record it");
  add_gpt_shape(*app, all.gpt);
  add_gpt_training(*app, all.gpt);
  for (CLI::Option* option : app->get_options()) {
    if (option != app->get_help_ptr()) option->group("GPT");
  }
  add_run(*app, all.run);
  add_capture(*app, all.capture);
  add_output_options(*app, all.output);
  app->footer(
      "Example:\n  gtrace record gpt -o run.h5 --layers 2 --hidden 64 --heads 2 --vocab 256 --positions 64 --text "
      "a.txt "
      "--set activation_function=gelu\n\n" +
      plant_help() + exit_code_help());
}

}  // namespace

std::vector<std::string> mlp_sharding_names() { return {"batch", "megatron-lm", "fsdp"}; }

std::vector<std::string> mlp_variants() {
  return {"plain", "plain-ckpt", "ga-loop", "ga-loop-ckpt", "ga-while", "ga-while-ckpt", "dp<k>", "dp<k>-ckpt"};
}

std::vector<std::string> plant_kinds() {
  return {"scale=K", "offset=C", "negate", "swap-heads", "shift", "zero-row", "nan", "round-bf16"};
}

void add_record(CLI::App& app, RecordOptions& options) {
  app.description("Record a run into a trace: a built-in trainer, or any LibTorch program behind --");
  app.require_subcommand(0, 1);
  add_capture(app, options.capture);
  add_output_options(app, options.output);
  add_mlp(app, options);
  add_gpt(app, options);
  app.footer(
      "With -- PROGRAM ARGUMENTS the program is run unchanged; its RECORD_USER_SCOPE labels are the layers.\n\n" +
      std::string(examples) + exit_code_help());
}

}  // namespace goldentrace
