// Parsing and the one place where errors become exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace goldentrace {

// Parses `arguments` and runs the chosen command through its callback, which sets `result`. --help and --version print
// and give `same`. CLI11's own errors become Error(usage) with the closest option or command and where to read on.
ExitCode parse_and_run(CLI::App& app, const std::vector<std::string>& arguments, const ExitCode& result);

// Runs `body`. Every exception gives `trouble` and one line "PROGRAM: what happened" on stderr; with --json among the
// arguments also a document of schema goldentrace.error/1 on stdout.
int guarded(const std::string& program, const std::vector<std::string>& arguments,
            const std::function<ExitCode()>& body);

// "Exit codes: …", for the foot of every help.
std::string exit_code_help();

}  // namespace goldentrace
