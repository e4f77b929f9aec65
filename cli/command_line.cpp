#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "cli/error_report.h"
#include "cli/parse_error.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// A flag is there or not: --json=maybe and --json=2 mean nothing.
void refuse_values_of_flags(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) refuse_values_of_flags(*command);
}

// No option and no file is written as nothing at all; taken as "not given" it would hide a script's empty variable.
void refuse_empty(const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    const bool option = word.starts_with("--") && word.ends_with("=");
    if (!word.empty() && !option) continue;
    throw Error(ErrorCode::usage, option ? "option '" + word + "' has no value" : "an argument is empty");
  }
}

}  // namespace

ExitCode parse_and_run(CLI::App& app, const std::vector<std::string>& arguments, const ExitCode& result) {
  refuse_empty(arguments);
  refuse_values_of_flags(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& answer) {
    app.exit(answer);
    return ExitCode::same;
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::usage, explain(app, error));
  }
  return result;
}

int guarded(const std::string& program, const std::vector<std::string>& arguments,
            const std::function<ExitCode()>& body) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const ErrorReport report{program, std::find(arguments.begin(), end, "--json") != end};
  try {
    const ExitCode code = body();
    std::cout.flush();
    if (!std::cout) throw Error(ErrorCode::input_output, "cannot write to stdout");
    return static_cast<int>(code);
  } catch (const Error& error) {
    report.print(error);
  } catch (const std::bad_alloc&) {
    report.print(Error(ErrorCode::internal, "out of memory"));
  } catch (const std::exception& error) {
    report.print(Error(ErrorCode::internal, error.what()));
  }
  return static_cast<int>(ExitCode::trouble);
}

std::string exit_code_help() {
  return "Exit codes:\n"
         "  0  same within the gate, or done\n"
         "  1  diverged\n"
         "  2  cannot compare, bad input, wrong usage or trouble (one line on stderr)\n";
}

}  // namespace goldentrace
