// gtrace show: what is in a trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/exit_code.h"
#include "cli/output_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

struct ShowOptions {
  std::filesystem::path trace;
  std::string layer;   // a label or glob; empty: all
  std::string tape;    // print the tapes of this layer
  std::string record;  // print this record's values
  std::filesystem::path npy;
  bool stats = false;
  std::string filter;       // glob over record ids and layers; empty: all
  std::int64_t limit = -1;  // records or values printed; 0: all; -1: what suits the view
  OutputOptions output;
};

void add_show(CLI::App& app, ExitCode& result);
ExitCode run_show(const ShowOptions& options);

}  // namespace goldentrace
