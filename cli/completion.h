// gtrace completion SHELL: a script that completes commands, options and option values.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace goldentrace {

// The command itself. It describes `app`, its parent, as it is when the command runs.
void add_completion(CLI::App& app, ExitCode& result);

// Script for "bash", "zsh" or "fish" from the commands and options of `app`.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace goldentrace
