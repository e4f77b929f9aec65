// gtrace record mlp: trains the linear-model MLP under the recorder.
#pragma once

#include "cli/exit_code.h"
#include "cli/record_options.h"

namespace goldentrace {

ExitCode run_record_mlp(const RecordOptions& options);

}  // namespace goldentrace
