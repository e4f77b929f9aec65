// The command gtrace: show, verify, recover, diff here; record and replay as programs beside it, because they need
// LibTorch.
#include <CLI/CLI.hpp>
#include <csignal>
#include <vector>

#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/convert.h"
#include "cli/delegate.h"
#include "cli/diff.h"
#include "cli/help_format.h"
#include "cli/output_options.h"
#include "cli/recover.h"
#include "cli/show.h"
#include "cli/verify.h"
#include "traces/error.h"

namespace {

using namespace goldentrace;

void add_commands(CLI::App& app, ExitCode& result) {
  app.add_subcommand("record", "Record a run into a trace");
  app.add_subcommand("replay", "Run layers of a trace again from the file alone");
  add_diff(app, result);
  add_show(app, result);
  add_verify(app, result);
  add_recover(app, result);
  add_convert(app, result);
  add_completion(app, result);
  add_version(app);
  app.footer(
      "Examples:\n"
      "  gtrace record mlp -o golden.h5 --input_dim 64\n"
      "  gtrace diff golden.h5 candidate.h5\n"
      "  gtrace replay candidate.h5 --layer layers.2\n"
      "  gtrace show candidate.h5\n"
      "gtrace COMMAND --help tells more about a command.\n\n" +
      exit_code_help());
}

ExitCode run(std::vector<std::string> arguments) {
  if (arguments.empty()) throw Error(ErrorCode::usage, "a command is needed; see gtrace --help");
  const bool help = arguments[0] == "help";
  if (help) {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  if (arguments[0] == "record" || arguments[0] == "replay") {
    become("gtrace-" + arguments[0], {arguments.begin() + 1, arguments.end()});
  }
  // A write beyond the file-size limit is an error with a message, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Record, diff and replay golden traces of neural networks", "gtrace");
  use_help_format(app);
  ExitCode result = ExitCode::same;
  add_commands(app, result);
  // A --help behind it would hide that there is no such command.
  const bool is_command = !app.get_subcommands([&](CLI::App* each) { return each->check_name(arguments[0]); }).empty();
  if (!is_command && (help || !arguments[0].starts_with("-")) && arguments[0] != "--help") arguments.resize(1);
  parse_and_run(app, arguments, result);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return guarded("gtrace", arguments, [&] { return run(arguments); });
}
