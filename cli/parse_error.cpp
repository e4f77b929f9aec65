#include "cli/parse_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <vector>

#include "cli/suggestion.h"
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

std::string with_hint(const std::string& text, const std::string& hint) {
  return hint.empty() ? text : text + ", " + hint;
}

std::string unknown_option(const CLI::App& app, const std::string& argument) {
  std::error_code ignored;
  if (std::filesystem::exists(argument, ignored)) {
    return "unknown option '" + argument + "'; for the file of that name write -- " + argument;
  }
  const std::string name = argument.substr(0, argument.find('='));
  const std::vector<std::string> known = option_names(app);
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return "option '" + name + "' belongs behind the command: " + full_name(app) + " " + name;
  }
  return with_hint("unknown option '" + name + "'", suggestion(name, closest_names(name, known)));
}

std::string unknown_argument(const CLI::App& app, const std::string& argument) {
  if (argument.starts_with("-")) return unknown_option(app, argument);
  const std::vector<std::string> commands = command_names(app);
  if (commands.empty()) return "unexpected argument '" + argument + "'";
  return with_hint("unknown command '" + argument + "'", suggestion(argument, commands));
}

// The innermost subcommand.
const CLI::App& parsed_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

// The option that a message of CLI11 begins with, "--limit: …"; null when it names none.
const CLI::Option* option_of(const CLI::App& app, const std::string& message) {
  const std::string name = message.substr(0, message.find_first_of(": "));
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    if (const CLI::Option* option = level->get_option_no_throw(name)) return option;
    if (const CLI::Option* flag = level->get_option_no_throw("--" + name)) return flag;
  }
  return nullptr;
}

// Before or instead of another fault: what nobody asked for is mostly the cause.
std::string first_unknown(const CLI::App& app) {
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with("-") && word != "--") return word;
  }
  return "";
}

std::string wrong_number_of_values(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (option.get_items_expected_max() == 0) return name + " takes no value; it is given or left out";
  if (option.count() > 1) {
    return name + " is given " + std::to_string(option.count()) + " times (" +
           CLI::detail::join(option.results(), ", ") + "); give it once";
  }
  return name + " needs a value, " + option.get_type_name();
}

std::string missing(const CLI::Option& option) {
  return "the argument " + option.get_name() + " is missing (" + option.get_type_name() + ")";
}

// Of "A excludes B" and "A requires B".
std::string second_name(const std::string& message) { return message.substr(message.rfind(' ') + 1); }

std::string explanation(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const std::string message = error.what();
  const CLI::Option* option = option_of(command, message);
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> extras = app.remaining(true);
    if (extras.size() > 1 && extras.front() == "--") {
      return "unexpected argument '" + extras[1] + "' behind --; options go in front of it";
    }
    if (!extras.empty()) return unknown_argument(command, extras.front());
  }
  if (option == nullptr) return message;
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    const std::string unknown = first_unknown(app);
    return unknown.empty() ? missing(*option) : unknown_option(command, unknown);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return wrong_number_of_values(*option);
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
    return option->get_name() + " and " + second_name(message) + " exclude each other; leave one of them out";
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error)) return option->get_name() + " needs " + second_name(message);
  return message;
}

}  // namespace

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent ? full_name(*parent) + " " + app.get_name() : app.get_name();
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = parsed_command(app);
  return explanation(app, command, error) + "; see " + full_name(command) + " --help";
}

}  // namespace goldentrace
