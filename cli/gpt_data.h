// Batches for the GPT from the files of the command line.
#pragma once

#include "cli/record_options.h"
#include "models/gpt.h"
#include "traces/header.h"

namespace goldentrace {

// Fills batch_size, seq_len and batches of `trainer`. The ids are one stream that is cut into batches of
// batch x seq; sizes that were not given come from the shape of the ids file ([seq], [batch, seq] or
// [batches, batch, seq]). A remainder is dropped. Labels and mask are cut in the same way.
// Returns what the trace's header says of the data: see gpt_text.h; nothing when ids are drawn.
// Error(usage) when there are too few ids for one batch or the files do not fit each other.
Header read_batches(const RecordGptOptions& options, GptOptions& trainer);

}  // namespace goldentrace
