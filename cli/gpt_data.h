// Batches for the GPT from the files of the command line.
#pragma once

#include "cli/record_options.h"
#include "models/gpt.h"

namespace goldentrace {

// Fills batch_size, seq_len and batches of `trainer`. The ids are one stream that is cut into batches of
// batch x seq; sizes that were not given come from the shape of the ids file ([seq], [batch, seq] or
// [batches, batch, seq]). A remainder is dropped. Labels and mask are cut in the same way.
// Error(usage) when there are too few ids for one batch or the files do not fit each other.
void read_batches(const RecordGptOptions& options, GptOptions& trainer);

}  // namespace goldentrace
