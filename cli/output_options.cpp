#include "cli/output_options.h"

#include <CLI/CLI.hpp>

namespace goldentrace {

void add_output_options(CLI::App& app, OutputOptions& options) {
  auto* json = app.add_flag("--json", options.json, "Print one JSON document on stdout");
  auto* quiet = app.add_flag("-q,--quiet", options.quiet, "Print nothing but errors");
  auto* verbose = app.add_flag("-v,--verbose", options.verbose, "Print more detail");
  for (auto* option : {json, quiet, verbose}) option->group("Output");
  quiet->excludes(verbose);
}

}  // namespace goldentrace
