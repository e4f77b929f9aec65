// The options of gtrace record, as typed. Free of LibTorch, so that gtrace can complete them in a shell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

// What is kept of the run.
struct CaptureOptions {
  std::filesystem::path output;
  std::string capture = "full";
  bool ops = false;
  std::vector<std::string> layers_only;  // globs
  std::string record_steps;              // "0,4-7"; empty: all
  std::vector<std::string> roles;        // empty: all
  std::string self_check = "first";
  std::int64_t sketch_size = 256;
  std::filesystem::path golden;      // what capture check compares with
  std::int64_t stop_after = 0;       // differences; 0: never
  std::filesystem::path level_file;  // may change the level while the program runs
  std::string codec = "standard";
  std::uint64_t segment_size = 0;  // bytes; 0: one file
  std::string when_full = "block";
  std::optional<std::uint64_t> pool_size;  // bytes; none: the recorder's own
  std::int64_t workers = 0;                // 0: the recorder's choice
  bool withhold_command_line = false;
};

// How the model is run.
struct RunOptions {
  std::uint64_t seed = 42;
  std::string dtype = "float32";
  std::string device = "cpu";
  int threads = 0;                  // 0: LibTorch's own choice
  std::string plant;                // KIND@LAYER; empty: none
  std::int64_t ranks = 1;           // processes
  std::int64_t rank_timeout = 300;  // seconds that one rank waits for another
};

struct RecordMlpOptions {
  std::optional<std::string> variant;
  bool gradient_checkpointing = false;
  bool accumulation_loop = false;
  std::int64_t batch_size = 128;
  std::int64_t num_epochs = 1;
  double lr = 0.1;
  std::int64_t log_steps = 8;
  std::int64_t input_dim = 16834;
  std::int64_t train_dataset_len = 8192;
  std::int64_t gradient_accumulation_steps = 1;
  std::vector<std::string> sharding;
  std::optional<std::int64_t> devices;  // 2 where there is a sharding
  bool skip_gradient_checkpointing = false;
};

struct RecordGptOptions {
  std::string shape = "hf";
  std::optional<std::string> preset;
  std::optional<std::int64_t> layers, hidden, heads, ffn, vocab, positions;
  std::optional<std::int64_t> batch, seq;
  std::int64_t steps = 1;
  std::string optimizer = "sgd";
  double lr = 0.01;
  std::optional<double> dropout;
  std::vector<std::string> set;  // OPTION=VALUE
  std::filesystem::path load, tokens, text, labels, mask, prefixes, tokenizer;
};

struct RecordOptions {
  CaptureOptions capture;
  RunOptions run;
  RecordMlpOptions mlp;
  RecordGptOptions gpt;
  OutputOptions output;
  std::string command_line;            // as typed, for the trace's header
  std::vector<std::string> arguments;  // behind `gtrace record`
};

// The values that this version knows.
std::vector<std::string> mlp_variants();        // plain, ga-loop, dp<k>
std::vector<std::string> mlp_sharding_names();  // batch, megatron-lm, fsdp
std::vector<std::string> plant_kinds();         // scale=K, offset=C, negate …

// Options of `gtrace record` itself and the subcommands mlp and gpt. `options` must live as long as the app.
void add_record(CLI::App& app, RecordOptions& options);

}  // namespace goldentrace
