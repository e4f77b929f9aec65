#include "cli/output_options.h"

#include <CLI/CLI.hpp>

#include "cli/parse_error.h"
#include "cli/version.h"

namespace goldentrace {

void add_output_options(CLI::App& app, OutputOptions& options) {
  auto* json = app.add_flag("--json", options.json, "Print one JSON document on stdout");
  auto* quiet = app.add_flag("-q,--quiet", options.quiet, "Print nothing but errors");
  auto* verbose = app.add_flag("-v,--verbose", options.verbose, "Print more detail");
  for (auto* option : {json, quiet, verbose}) option->group("Output");
  quiet->excludes(verbose);
  add_version(app);
}

void add_version(CLI::App& app) {
  app.set_version_flag("--version", version_text(full_name(app)), "Print the version");
}

}  // namespace goldentrace
