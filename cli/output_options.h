// How a command talks: the three flags that every command has.
#pragma once

namespace CLI {
class App;
}

namespace goldentrace {

struct OutputOptions {
  bool json = false;     // one JSON document on stdout instead of text
  bool quiet = false;    // nothing but errors
  bool verbose = false;  // more detail

  bool text() const { return !json && !quiet; }
};

// Adds --json, --quiet, --verbose and --version. `options` must live as long as the app.
void add_output_options(CLI::App& app, OutputOptions& options);
void add_version(CLI::App& app);

}  // namespace goldentrace
