// Batches of token ids: drawn, completed and checked.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gpt.h"

namespace goldentrace {

struct DataLimits {
  std::int64_t tokens = 0;            // of the vocabulary
  std::int64_t positions = 0;         // of the position table, 0: no limit
  const char* positions_option = "";  // what the shape calls it
};

// Error(usage) for another dtype, rank or shape, ids outside the vocabulary, more positions than the table has, a mask
// that is not 0 or 1, labels outside the vocabulary that are not -100, or no label that counts.
void check(const GptBatch& batch, const DataLimits& limits);

// The batch with labels: the given ones, or the id at t+1 with the last position ignored. Not seen by recorders.
GptBatch with_labels(const GptBatch& batch);

// The index-th of `parts` equal parts of its rows. Not seen by recorders.
GptBatch rows_of(const GptBatch& batch, std::int64_t index, std::int64_t parts);

// `steps` batches of uniform ids below `tokens`, [batch_size, seq_len], from a generator of their own, so that neither
// weights nor dropout change the data.
std::vector<GptBatch> draw_batches(const GptOptions& options, std::int64_t tokens);

}  // namespace goldentrace
