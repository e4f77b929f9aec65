// How the rows of fused and sharded tensors are ordered in each kind of checkpoint, as runs of rows.
//
// Canonical query_key_value: groups one after another, each as its query heads, its key head, its value head. Without
// grouping that is (heads, 3, head size), Megatron's order since version 2.
#pragma once

#include <cstdint>
#include <vector>

#include "checkpoints/gpt_shape.h"
#include "checkpoints/matrix.h"

namespace goldentrace {

using RowRuns = std::vector<RowRun>;

// Checkpoint versions of Megatron: 0 stores (3, heads, head size), 1 (heads, head size, 3), 2 and 3 (heads, 3, head
// size), each rank its own heads. Versions 0 and 1 know no groups: Error(unsupported).
void check_version(int version, const GptShape& shape);

// Rows of the ranks' tensors, one rank after another, that make the canonical order.
RowRuns merge_query_key_value(const GptShape& shape, int version, std::int64_t ranks);
// Rows of the canonical tensor that make the tensor of one rank.
RowRuns split_query_key_value(const GptShape& shape, int version, std::int64_t ranks, std::int64_t rank);

// transformers' GPT-2: (3, heads, head size); key and value heads repeated for their queries.
RowRuns to_thirds(const GptShape& shape);
RowRuns from_thirds(const GptShape& shape);  // keys and values of each group's first head

// First linear of a gated MLP: canonical (2, ffn), each rank its own two halves. Plain halves without gating.
RowRuns merge_mlp(const GptShape& shape, std::int64_t ranks);
RowRuns split_mlp(const GptShape& shape, std::int64_t ranks, std::int64_t rank);

// The vocabulary rows of one rank, when `vocab` rows are padded to `padded` by repeating the last one.
RowRuns split_vocabulary(std::int64_t vocab, std::int64_t padded, std::int64_t ranks, std::int64_t rank);

// The smallest multiple of `multiple` that holds `vocab` rows.
std::int64_t padded_vocabulary(std::int64_t vocab, std::int64_t multiple);

}  // namespace goldentrace
