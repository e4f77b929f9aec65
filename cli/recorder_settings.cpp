#include "cli/recorder_settings.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/golden_check.h"
#include "cli/number.h"
#include "cli/output_file.h"
#include "cli/output_path.h"
#include "cli/step_list.h"
#include "models/memory_limit.h"
#include "traces/error.h"
#include "traces/file_status.h"
#include "traces/trace_writer.h"

namespace goldentrace {
namespace {

SelfCheck self_check(const std::string& word) {
  if (word == "every") return SelfCheck::every;
  return word == "none" ? SelfCheck::none : SelfCheck::first;
}

void check_level_file(const CaptureOptions& capture) {
  if (capture.level_file.empty()) return;
  const ErrorPlace place{capture.level_file.string(), ""};
  if (const std::string kind = special_kind(capture.level_file); !kind.empty()) {
    throw Error(ErrorCode::usage, "--level-file: is " + kind + "; name a file, it need not exist yet", place);
  }
  if (access(capture.level_file.c_str(), R_OK) != 0 && errno != ENOENT) {
    throw Error(ErrorCode::input_output, std::string("--level-file: cannot be read: ") + std::strerror(errno), place);
  }
  if (absolute_path(capture.level_file) == absolute_path(capture.output)) {
    throw Error(ErrorCode::usage, "--level-file: is the trace that is to be written; name another file", place);
  }
}

void check_pool(const CaptureOptions& capture) {
  const auto memory = static_cast<std::uint64_t>(machine_memory());
  if (capture.pool_size.value_or(0) <= memory) return;
  throw Error(ErrorCode::usage, "--pool-size: " + human_bytes(*capture.pool_size) + " is more than the " +
                                    human_bytes(memory) + " of this machine; make it smaller");
}

// What the recorder will meet where it writes, before a program is started for it: it leaves nothing behind.
void try_to_write(const CaptureOptions& capture) {
  const TraceWriter trial(capture.output, {.segment_bytes = capture.segment_size, .committed = {}});
}

}  // namespace

RecorderOptions recorder_settings(const CaptureOptions& capture, Header header) {
  if (capture.output.empty()) throw Error(ErrorCode::usage, "name the trace to write: -o FILE");
  check_output_path(capture.output);
  check_golden(capture, header);
  check_level_file(capture);
  check_output_file(capture.output, {capture.golden, capture.level_file});
  check_pool(capture);
  try_to_write(capture);
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
  if (!capture.level_file.empty()) options.level_file = absolute_path(capture.level_file);
  options.codec = parse_codec(capture.codec);
  options.segment_bytes = capture.segment_size;
  options.when_full = parse_when_full(capture.when_full);
  options.pool_bytes = static_cast<std::size_t>(capture.pool_size.value_or(options.pool_bytes));
  options.workers = static_cast<int>(capture.workers);
  options.header = std::move(header);
  return options;
}

}  // namespace goldentrace
