#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "cli/error_report.h"
#include "cli/suggestion.h"
#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::string unknown_argument(const CLI::App& app, const std::string& argument) {
  const bool option = argument.starts_with("-");
  const bool command = !option && !command_names(app).empty();
  const std::string shown = option ? argument.substr(0, argument.find('=')) : argument;
  const std::string hint = option    ? suggestion(shown, closest_names(shown, option_names(app)))
                           : command ? suggestion(shown, command_names(app))
                                     : "";
  const std::string kind = option ? "unknown option " : command ? "unknown command " : "unexpected argument ";
  return kind + "'" + shown + "'" + (hint.empty() ? "" : ", " + hint);
}

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent ? full_name(*parent) + " " + app.get_name() : app.get_name();
}

// The innermost subcommand.
CLI::App& parsed_command(CLI::App& app) {
  CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

[[noreturn]] void refuse(CLI::App& app, const CLI::ParseError& error) {
  CLI::App& command = parsed_command(app);
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> extras = app.remaining(true);
    if (!extras.empty()) message = unknown_argument(command, extras.front());
  }
  throw Error(ErrorCode::usage, message + "; see " + full_name(command) + " --help");
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
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& answer) {
    app.exit(answer);
    return ExitCode::same;
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
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
