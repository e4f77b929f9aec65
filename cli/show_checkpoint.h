// gtrace show CHECKPOINT: files, arguments, tensors and totals.
#pragma once

#include "cli/show.h"

namespace goldentrace {

// The checkpoint options.trace: its tensors whose name matches options.filter, at most options.limit of them. As text,
// or with --json a document of schema goldentrace.checkpoint/1. Error(usage) for options that only traces have.
void show_checkpoint(const ShowOptions& options);

}  // namespace goldentrace
