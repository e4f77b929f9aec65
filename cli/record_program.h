// gtrace record -o F -- PROGRAM: records a program that knows nothing of goldentrace.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/record_options.h"

namespace goldentrace {

// Runs `program` with its own standard streams and the recorder preloaded. Error when it cannot be started, when it
// fails (with its exit code or signal, and how many committed steps were kept) and when it wrote no trace.
ExitCode run_record_program(const RecordOptions& options, const std::vector<std::string>& program);

}  // namespace goldentrace
