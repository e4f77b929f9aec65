// gtrace record --ranks K: starts the ranks as processes and waits for them.
#pragma once

#include "cli/exit_code.h"
#include "cli/record_options.h"

namespace goldentrace {

// Runs this program K times with the same arguments, each told by the environment which rank it is. The stdout is that
// of rank 0; what ranks write to stderr gets their number in front. When one fails the others end by themselves, or are
// ended; Error(incomplete) then names the first that failed and what became of the files. SIGINT and SIGTERM are passed
// on.
ExitCode launch_ranks(const RecordOptions& options);

}  // namespace goldentrace
