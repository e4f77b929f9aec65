// gtrace record gpt: trains a GPT under the recorder.
#pragma once

#include "cli/exit_code.h"
#include "cli/record_options.h"

namespace goldentrace {

ExitCode run_record_gpt(const RecordOptions& options);

}  // namespace goldentrace
