// gtrace diff: where two traces part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/output_options.h"
#include "diff/quality_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

struct DiffCommandOptions {
  std::filesystem::path a, b;
  std::string gate = "rel";
  std::optional<double> rtol, atol, rel;
  std::filesystem::path rules;
  std::string filter;
  bool strict = false;
  std::vector<std::string> relations;  // empty: by the headers
  std::optional<double> percentile;
  QualityOptions quality;
  std::filesystem::path targets;
  std::filesystem::path mask;
  std::string sample;  // "A:B"
  std::vector<std::filesystem::path> repeats;
  bool unscale = false;
  std::string nan = "same";
  std::int64_t limit = 10;
  std::vector<std::filesystem::path> reports;
  OutputOptions output;
};

void add_diff(CLI::App& app, ExitCode& result);
ExitCode run_diff(const DiffCommandOptions& options);

}  // namespace goldentrace
