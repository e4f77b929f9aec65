#include "cli/recorder_settings.h"

#include "cli/output_path.h"
#include "cli/step_list.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

SelfCheck self_check(const std::string& word) {
  if (word == "every") return SelfCheck::every;
  return word == "none" ? SelfCheck::none : SelfCheck::first;
}

}  // namespace

RecorderOptions recorder_settings(const CaptureOptions& capture, Header header) {
  if (capture.output.empty()) throw Error(ErrorCode::usage, "name the trace to write: -o FILE");
  check_output_path(capture.output);
  RecorderOptions options;
  options.output = capture.output;
  options.capture = capture.capture == "sketch" ? Capture::sketch : Capture::full;
  options.ops = capture.ops;
  options.layers = capture.layers_only;
  options.steps = parse_number_list(capture.record_steps, "--record-steps");
  options.roles = capture.roles;
  options.self_check = self_check(capture.self_check);
  options.sketch_size = static_cast<std::size_t>(capture.sketch_size);
  options.header = std::move(header);
  return options;
}

}  // namespace goldentrace
