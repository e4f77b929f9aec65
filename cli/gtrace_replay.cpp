// The program behind `gtrace replay`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "cli/command_line.h"
#include "cli/error_report.h"
#include "cli/help_format.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/replay_options.h"
#include "replayer/json_report.h"
#include "replayer/replay.h"
#include "replayer/text_report.h"
#include "traces/error.h"

namespace {

using namespace goldentrace;

std::unique_ptr<TraceReader> open(const std::filesystem::path& path) {
  return path.empty() ? nullptr : std::make_unique<TraceReader>(path);
}

void check(const ReplayCommandOptions& options) {
  if (options.layer.empty() && !options.all) throw Error(ErrorCode::usage, "say what to run: --layer LAYER or --all");
  if (!options.dump.empty()) check_output_file(options.dump, {options.trace, options.inputs, options.tape_from});
}

ReplayOptions replay_options(const ReplayCommandOptions& options) {
  ReplayOptions result;
  result.layer = options.layer;
  result.step = options.step;
  result.micro = options.micro;
  if (options.rank) result.rank = static_cast<std::int32_t>(*options.rank);
  if (options.call) result.call = static_cast<std::int32_t>(*options.call);
  if (options.pass) result.pass = parse_pass(*options.pass);
  if (options.dtype) result.dtype = parse_dtype(*options.dtype);
  result.device = options.device;
  result.perturb = options.perturb.value_or(0);
  if (options.gate) result.gate = Gate{.kind = parse_gate_kind(*options.gate)};
  result.dump = options.dump;
  return result;
}

void print(const ReplayReport& report, const OutputOptions& output) {
  if (output.json) {
    std::cout << json_report(report) << '\n';
  } else if (output.text()) {
    std::cout << text_report(report, output.verbose ? Detail::verbose : Detail::normal);
  }
}

// Exit 2 always says why on stderr, quiet or not.
void name_unsupported(const ReplayReport& report) {
  const auto is_unsupported = [](const ReplayedCall& call) { return call.verdict == ReplayVerdict::unsupported; };
  const auto first = std::ranges::find_if(report.calls, is_unsupported);
  if (first == report.calls.end()) return;
  const auto others = std::ranges::count_if(report.calls, is_unsupported) - 1;
  std::string text = describe(*first) + ": cannot be replayed: " + first->reason;
  if (others > 0) text += " (and " + std::to_string(others) + " more)";
  const ErrorReport line{.program = "gtrace replay"};
  line.print(Error(ErrorCode::unsupported, text, {report.trace.string(), ""}));
}

ExitCode run_replay(const ReplayCommandOptions& options) {
  check(options);
  const TraceReader trace(options.trace);
  const auto inputs = open(options.inputs), tape_from = open(options.tape_from);
  ReplayOptions settings = replay_options(options);
  settings.inputs = inputs.get();
  settings.tape_from = tape_from.get();
  auto progress = std::make_unique<Progress>("replay", options.output);
  settings.progress = [&](std::size_t done, std::size_t total) { progress->update(done, total); };
  const ReplayReport report = replay(trace, settings);
  progress.reset();
  print(report, options.output);
  name_unsupported(report);
  return static_cast<ExitCode>(exit_code(report));
}

ExitCode run(const std::vector<std::string>& arguments) {
  ReplayCommandOptions options;
  CLI::App app("", "gtrace replay");
  use_help_format(app);
  add_replay(app, options);
  ExitCode result = ExitCode::same;
  app.final_callback([&] { result = run_replay(options); });
  return parse_and_run(app, arguments, result);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return guarded("gtrace replay", arguments, [&] { return run(arguments); });
}
