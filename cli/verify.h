// gtrace verify: checks every hash of a trace.
#pragma once

#include <filesystem>

#include "cli/exit_code.h"
#include "cli/output_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

struct VerifyOptions {
  std::filesystem::path trace;
  OutputOptions output;
};

void add_verify(CLI::App& app, ExitCode& result);
ExitCode run_verify(const VerifyOptions& options);

}  // namespace goldentrace
