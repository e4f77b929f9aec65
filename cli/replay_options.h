// The options of gtrace replay, as typed. Free of LibTorch, so that gtrace can complete them in a shell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/output_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

struct ReplayCommandOptions {
  std::filesystem::path trace;
  std::string layer;
  bool all = false;
  std::optional<std::int64_t> step, micro, rank, call;
  std::optional<std::string> pass;   // forward, backward; none: both
  std::optional<std::string> dtype;  // as recorded when absent
  std::string device = "cpu";
  std::filesystem::path inputs, tape_from;
  std::optional<double> perturb;
  std::optional<std::string> gate;
  std::filesystem::path dump;
  OutputOptions output;
};

// `options` must live as long as the app.
void add_replay(CLI::App& app, ReplayCommandOptions& options);

}  // namespace goldentrace
