// gtrace convert: checkpoints of one kind as checkpoints of another.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "checkpoints/convert_options.h"
#include "cli/exit_code.h"
#include "cli/output_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

struct ConvertOptions {
  std::filesystem::path from, to;
  std::string kind;  // hf, megatron
  std::string layout = "pipe";
  std::int64_t version = 3;
  std::optional<std::int64_t> heads, groups, vocab;
  std::string replicas = "equal";
  std::uint64_t shard_megabytes = 5000;
  bool keep_padding = false;
  bool skip_unknown = false;
  MegatronOptions megatron;
  OutputOptions output;
};

void add_convert(CLI::App& app, ExitCode& result);
ExitCode run_convert(const ConvertOptions& options);

}  // namespace goldentrace
