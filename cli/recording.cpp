#include "cli/recording.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "cli/expected_size.h"
#include "cli/interrupt.h"
#include "cli/record_summary.h"
#include "cli/recorder_settings.h"
#include "cli/wire.h"
#include "models/rank_link.h"
#include "recorder/recorder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

Header run_facts(const RecordOptions& options, const Header& model) {
  Header header = model;
  header["run.seed"] = std::to_string(options.run.seed);
  header["run.device"] = options.run.device;
  header["model.dtype"] = options.run.dtype;
  if (!options.run.plant.empty()) header["run.plant"] = options.run.plant;
  if (!options.capture.withhold_command_line) header["run.command_line"] = options.command_line;
  return header;
}

void log_line(const std::string& line) { std::cout << line << std::endl; }

[[noreturn]] void seal_committed(Recorder& recorder, const CommittedSteps& committed, int signal) {
  recorder.close_committed(signal_name(signal));
  throw Error(ErrorCode::incomplete, "recording was stopped by " + signal_name(signal) + "; " + committed.text());
}

// A signal that all ranks got may have ended another one first.
[[noreturn]] void seal_without(Recorder& recorder, const CommittedSteps& committed, const RankLost& lost) {
  if (const int signal = received_signal(); signal != 0) seal_committed(recorder, committed, signal);
  recorder.close_committed("another rank was lost");
  throw Error(ErrorCode::incomplete, std::string(lost.what()) + "; " + committed.text());
}

}  // namespace

ExitCode run_recording(const RecordOptions& options, const RecordedModel& model) {
  std::optional<Plant> plant;
  if (!options.run.plant.empty()) plant.emplace(parse_plant(options.run.plant), model.heads);
  RecorderOptions settings = recorder_settings(options.capture, run_facts(options, model.header));
  bool ended = false;
  settings.stopped = [&](std::int64_t) { ended = true; };
  ExpectedSize expected(options, model.steps);
  settings.step_written = [&](std::int64_t step, std::uint64_t bytes) { expected.step_written(step, bytes); };
  // Before the recorder looks: replay runs with the number of threads that the header names.
  if (options.run.threads > 0) at::set_num_threads(options.run.threads);
  watch_signals();
  const CommittedSteps committed(options.capture.output);
  Recorder recorder(settings);
  RunCoverage coverage;
  try {
    model.train(wire(recorder, {plant ? &*plant : nullptr, &coverage, &ended}),
                options.output.text() ? log_line : std::function<void(const std::string&)>());
  } catch (const RecordingEnded&) {
    // The recorder has what it was asked for.
  } catch (const Interrupted& stop) {
    seal_committed(recorder, committed, stop.signal);
  } catch (const RankLost& lost) {
    seal_without(recorder, committed, lost);
  }
  if (!ended) check_filters(options.capture, coverage);
  recorder.close();
  print_summary(options.capture.output, options.output);
  return ExitCode::same;
}

std::string shell_text(const std::vector<std::string>& arguments) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-+=./,:@%").find(c) != std::string_view::npos;
  };
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    if (!argument.empty() && std::all_of(argument.begin(), argument.end(), plain)) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace goldentrace
