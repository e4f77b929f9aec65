#include "cli/recorder_settings.h"

#include "cli/golden_check.h"
#include "cli/number.h"
#include "cli/output_path.h"
#include "cli/step_list.h"
#include "models/memory_limit.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

SelfCheck self_check(const std::string& word) {
  if (word == "every") return SelfCheck::every;
  return word == "none" ? SelfCheck::none : SelfCheck::first;
}

void check_level_file(const CaptureOptions& capture) {
  std::error_code ignored;
  if (capture.level_file.empty()) return;
  const ErrorPlace place{capture.level_file.string(), ""};
  if (std::filesystem::is_directory(capture.level_file, ignored)) {
    throw Error(ErrorCode::usage, "--level-file: is a directory; name a file, it need not exist yet", place);
  }
  if (std::filesystem::absolute(capture.level_file) == std::filesystem::absolute(capture.output)) {
    throw Error(ErrorCode::usage, "--level-file: is the trace that is to be written; name another file", place);
  }
}

void check_pool(const CaptureOptions& capture) {
  const auto memory = static_cast<std::uint64_t>(machine_memory());
  if (capture.pool_size.value_or(0) <= memory) return;
  throw Error(ErrorCode::usage, "--pool-size: " + human_bytes(*capture.pool_size) + " is more than the " +
                                    human_bytes(memory) + " of this machine; make it smaller");
}

}  // namespace

RecorderOptions recorder_settings(const CaptureOptions& capture, Header header) {
  if (capture.output.empty()) throw Error(ErrorCode::usage, "name the trace to write: -o FILE");
  check_output_path(capture.output);
  check_golden(capture, header);
  check_level_file(capture);
  check_pool(capture);
  RecorderOptions options;
  options.output = capture.output;
  options.capture = parse_capture(capture.capture);
  options.ops = capture.ops;
  options.layers = capture.layers_only;
  options.steps = parse_number_list(capture.record_steps, "--record-steps");
  options.roles = capture.roles;
  options.self_check = self_check(capture.self_check);
  options.sketch_size = static_cast<std::size_t>(capture.sketch_size);
  options.golden = capture.golden;
  options.stop_after = capture.stop_after;
  if (!capture.level_file.empty()) options.level_file = std::filesystem::absolute(capture.level_file);
  options.codec = parse_codec(capture.codec);
  options.segment_bytes = capture.segment_size;
  options.when_full = parse_when_full(capture.when_full);
  options.pool_bytes = static_cast<std::size_t>(capture.pool_size.value_or(options.pool_bytes));
  options.workers = static_cast<int>(capture.workers);
  options.header = std::move(header);
  return options;
}

}  // namespace goldentrace
