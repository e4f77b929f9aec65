// The program behind `gtrace record`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/command_line.h"
#include "cli/help_format.h"
#include "cli/record_gpt.h"
#include "cli/record_mlp.h"
#include "cli/record_options.h"
#include "cli/record_program.h"
#include "cli/recording.h"
#include "traces/error.h"

namespace {

using namespace goldentrace;
using Words = std::vector<std::string>;

std::string command_text(const Words& arguments) {
  Words words{"gtrace", "record"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return shell_text(words);
}

ExitCode run(const Words& arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const Words own(arguments.begin(), separator);
  const Words program = separator == arguments.end() ? Words() : Words(separator + 1, arguments.end());
  RecordOptions options;
  options.command_line = command_text(arguments);
  options.arguments = arguments;
  CLI::App app("", "gtrace record");
  use_help_format(app);
  add_record(app, options);
  // Parsing answers --help and --version itself; what was asked for otherwise is run below.
  bool parsed = false;
  app.final_callback([&] { parsed = true; });
  parse_and_run(app, own, ExitCode::same);
  if (!parsed) return ExitCode::same;
  const bool builtin = !app.get_subcommands().empty();
  if (builtin && separator != arguments.end()) {
    throw Error(ErrorCode::usage, "a built-in trainer and a program behind -- cannot be recorded together");
  }
  if (app.got_subcommand("mlp")) return run_record_mlp(options);
  if (app.got_subcommand("gpt")) return run_record_gpt(options);
  if (program.empty())
    throw Error(ErrorCode::usage, "say what to record: mlp, gpt, or a program behind --; see gtrace record --help");
  return run_record_program(options, program);
}

}  // namespace

int main(int argc, char** argv) {
  const Words arguments(argv + 1, argv + argc);
  return guarded("gtrace record", arguments, [&] { return run(arguments); });
}
