#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <vector>

#include "cli/choice.h"
#include "cli/command_line.h"
#include "cli/output_options.h"
#include "cli/record_options.h"
#include "cli/replay_options.h"

namespace goldentrace {
namespace {

struct OptionWords {
  std::string name;  // "--gate"
  std::string description;
  std::vector<std::string> values;  // of a choice
  bool takes_value = false;
};

// The words of a choice; none for any other option.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  std::vector<std::string> values = CLI::detail::split(type, '|');
  std::erase_if(values, [](const std::string& value) { return value.find('<') != std::string::npos; });  // dp<k>
  return values;
}

struct CommandWords {
  std::string path;  // "record mlp"; empty: gtrace itself
  std::string description;
  std::vector<std::string> commands;  // and the values of positional choices
  std::vector<OptionWords> options;
};

std::vector<OptionWords> options_of(const CLI::App& app) {
  std::vector<OptionWords> list;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    list.push_back({"--" + option->get_lnames().front(), option->get_description(), values_of(*option),
                    option->get_items_expected_max() > 0});
  }
  return list;
}

void collect(const CLI::App& app, const std::string& path, std::vector<CommandWords>& list) {
  CommandWords words{path, app.get_description(), {}, options_of(app)};
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) words.commands.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    for (const std::string& value : values_of(*option)) words.commands.push_back(value);
  }
  list.push_back(std::move(words));
  for (const CLI::App* command : commands) {
    collect(*command, path.empty() ? command->get_name() : path + " " + command->get_name(), list);
  }
}

// record and replay are programs of their own; their options are described here from the same code.
std::vector<CommandWords> all_commands(const CLI::App& app) {
  std::vector<CommandWords> list;
  collect(app, "", list);
  std::erase_if(list, [](const CommandWords& words) { return words.path == "record" || words.path == "replay"; });
  RecordOptions record_options;
  CLI::App record;
  add_record(record, record_options);
  collect(record, "record", list);
  ReplayCommandOptions replay_options;
  CLI::App replay;
  add_replay(replay, replay_options);
  collect(replay, "replay", list);
  return list;
}

std::string words_of(const CommandWords& command) {
  std::string text = CLI::detail::join(command.commands, " ");
  for (const OptionWords& option : command.options) text += (text.empty() ? "" : " ") + option.name;
  return text;
}

// The function that both bash and zsh call: $1 the command path, $2 the word before; sets the candidates.
std::string word_table(const std::vector<CommandWords>& commands) {
  std::string text = "_gtrace_words() {\n  case \"$1:$2\" in\n";
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (!option.takes_value) continue;
      text +=
          "    '" + command.path + ":" + option.name + "') echo \"" + CLI::detail::join(option.values, " ") + "\" ;;\n";
    }
    text += "    '" + command.path + ":'*) echo \"" + words_of(command) + "\" ;;\n";
  }
  return text + "  esac\n}\n";
}

// The function that finds the command path in the words typed so far.
std::string path_finder(const std::vector<CommandWords>& commands) {
  std::string text = "_gtrace_path() {\n  local path='' word\n  for word in \"$@\"; do\n    case \"$path $word\" in\n";
  for (const CommandWords& command : commands) {
    const auto space = command.path.find(' ');
    if (command.path.empty()) continue;
    const bool nested = space != std::string::npos;
    text += "      '" + std::string(nested ? "" : " ") + command.path + "') path='" + command.path + "' ;;\n";
  }
  return text + "    esac\n  done\n  echo \"$path\"\n}\n";
}

std::string bash_script(const std::vector<CommandWords>& commands) {
  return "# bash completion for gtrace:  source <(gtrace completion bash)\n" + word_table(commands) +
         path_finder(commands) +
         "_gtrace() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local path words\n"
         "  path=$(_gtrace_path \"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
         "  words=$(_gtrace_words \"$path\" \"$before\")\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _gtrace gtrace\n";
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  return "#compdef gtrace\n# zsh completion for gtrace:  source <(gtrace completion zsh)\n" + word_table(commands) +
         path_finder(commands) +
         "_gtrace() {\n"
         "  local line\n"
         "  line=$(_gtrace_words \"$(_gtrace_path \"${(@)words[2,CURRENT-1]}\")\" \"${words[CURRENT-1]}\")\n"
         "  if [[ -n $line ]]; then compadd -- ${=line}; fi\n"
         "  if [[ ${words[CURRENT]} != -* ]]; then _files; fi\n"
         "}\n"
         "compdef _gtrace gtrace\n";
}

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "'";
}

std::string fish_condition(const CommandWords& command) {
  if (command.path.empty()) return "__fish_use_subcommand";
  std::string condition;
  for (const std::string& word : CLI::detail::split(command.path, ' ')) {
    condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") + word;
  }
  return condition;
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string text = "# fish completion for gtrace:  gtrace completion fish | source\n";
  for (const CommandWords& command : commands) {
    const std::string start = "complete -c gtrace -n " + fish_quoted(fish_condition(command));
    for (const std::string& name : command.commands) text += start + " -a " + name + "\n";
    for (const OptionWords& option : command.options) {
      text += start + " -l " + option.name.substr(2) + " -d " + fish_quoted(option.description);
      if (!option.values.empty())
        text += " -x -a " + fish_quoted(CLI::detail::join(option.values, " "));
      else if (option.takes_value)
        text += " -r";
      text += "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandWords> commands = all_commands(app);
  if (shell == "bash") return bash_script(commands);
  return shell == "zsh" ? zsh_script(commands) : fish_script(commands);
}

void add_completion(CLI::App& app, ExitCode& result) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  add_version(*command);
  choice(command->add_option("shell", *shell, "The shell")->required(), {"bash", "zsh", "fish"});
  command->footer(
      "Examples:\n"
      "  source <(gtrace completion bash)\n"
      "  gtrace completion zsh > ~/.zfunc/_gtrace\n"
      "  gtrace completion fish > ~/.config/fish/completions/gtrace.fish\n\n" +
      exit_code_help());
  command->callback([shell, &app, &result] {
    std::cout << completion_script(app, *shell);
    result = ExitCode::same;
  });
}

}  // namespace goldentrace
