#include "cli/record_program.h"

#include <algorithm>
#include <fstream>

#include "cli/child_process.h"
#include "cli/delegate.h"
#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "cli/record_summary.h"
#include "cli/recorder_settings.h"
#include "cli/scratch_folder.h"
#include "recorder/observe.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using Words = std::vector<std::string>;

// How the recorded process said that its recording ended; empty: nothing was recorded.
struct Status {
  std::string word;    // "recording", "sealed", "committed", "failed"
  std::string reason;  // behind the colon
};

Status read_status(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::size_t end = std::min(line.find(':'), line.size());
  const std::size_t reason = std::min(line.find_first_not_of(": ", end), line.size());
  return {line.substr(0, end), line.substr(reason)};
}

Header facts(const RecordOptions& options, const Words& program) {
  Header header{{"model.name", std::filesystem::path(program.front()).filename().string()}};
  if (!options.capture.withhold_command_line) header["run.command_line"] = options.command_line;
  return header;
}

std::string ending(const ChildResult& result) {
  if (result.signal != 0) return "was ended by " + signal_name(result.signal);
  return "failed with exit code " + std::to_string(result.exit_code);
}

std::string how_to_recover(const std::filesystem::path& trace) {
  return "the recording was not closed; recover what it committed with: gtrace recover " + trace.string();
}

std::string kept(const CommittedSteps& committed, const Status& status, const std::filesystem::path& trace) {
  if (status.word.empty() || status.word == "nothing") return "nothing was recorded";
  if (status.word == "recording") return how_to_recover(trace);
  if (status.word == "failed") return "recording failed: " + status.reason;
  return committed.text();
}

[[noreturn]] void refuse(ErrorCode code, const std::string& what, const Words& program) {
  throw Error(code, what, {program.front(), ""});
}

// The program ended well; whether the recording did.
void check_recording(const CommittedSteps& committed, const Status& status, const std::filesystem::path& trace,
                     const Words& program) {
  if (status.word.empty()) {
    refuse(ErrorCode::not_found, "recorded nothing: no LibTorch was loaded when it started", program);
  }
  if (status.word == "nothing") refuse(ErrorCode::usage, "recorded nothing: " + status.reason, program);
  if (status.word == "recording") {
    refuse(ErrorCode::incomplete, "ended without leaving main; " + how_to_recover(trace), program);
  }
  if (status.word == "failed") refuse(ErrorCode::input_output, "recording failed: " + status.reason, program);
  if (status.word != "sealed") {
    refuse(ErrorCode::incomplete, status.reason + "; " + committed.text(), program);
  }
}

}  // namespace

ExitCode run_record_program(const RecordOptions& options, const Words& program) {
  const RecorderOptions settings = recorder_settings(options.capture, facts(options, program));
  check_output_file(options.capture.output, {program.front()});
  const CommittedSteps committed(options.capture.output);
  const ScratchFolder scratch;
  const std::filesystem::path status_file = scratch.path() / "status";
  const auto variables = observation_environment(settings, find_preload_library(program_folder()), status_file);
  const ChildResult result =
      run_child(program, variables, options.output.json ? ChildOutput::to_stderr : ChildOutput::shared);
  const Status status = read_status(status_file);
  if (result.received != 0) {
    refuse(ErrorCode::incomplete,
           "recording was stopped by " + signal_name(result.received) + "; " +
               kept(committed, status, options.capture.output),
           program);
  }
  if (result.signal != 0 || result.exit_code != 0) {
    refuse(ErrorCode::incomplete, ending(result) + "; " + kept(committed, status, options.capture.output), program);
  }
  check_recording(committed, status, options.capture.output, program);
  print_summary(options.capture.output, options.output);
  return ExitCode::same;
}

}  // namespace goldentrace
