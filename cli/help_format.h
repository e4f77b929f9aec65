// How --help looks: option, type, description and default, without CLI11's own remarks.
#pragma once

namespace CLI {
class App;
}

namespace goldentrace {

// For a root app, before options and subcommands are added: they take the format over.
void use_help_format(CLI::App& app);

}  // namespace goldentrace
