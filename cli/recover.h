// gtrace recover: makes a trace of the journal that a recorder left which ended early.
#pragma once

#include <filesystem>

#include "cli/exit_code.h"
#include "cli/output_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

struct RecoverArguments {
  std::filesystem::path journal;  // or the trace that the recording was for
  std::filesystem::path output;
  bool force = false;
  bool keep_before_damage = false;
  OutputOptions output_options;
};

void add_recover(CLI::App& app, ExitCode& result);
ExitCode run_recover(const RecoverArguments& arguments);

}  // namespace goldentrace
