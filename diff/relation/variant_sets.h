// Which built-in relations two traces ask for because they were trained in different ways.
#pragma once

#include <string>
#include <vector>

#include "diff/trace_view.h"

namespace goldentrace {

// In the order in which their forms follow one another: tensor-parallel where `ranks.tensor` differs, accumulation
// where `model.gradient_accumulation_steps` differs, data-parallel where `ranks.data` differs, checkpointing where one
// trace has recomputed layers that the other has not, unless both say that they are of the same `model.variant`.
// `processes` where both have as many data ranks, and only in one of them every rank updates. `tensor-parallel` speaks
// of GPTs in Megatron's shape only.
std::vector<std::string> variant_sets(const TraceView& a, const TraceView& b);

// A GPT in the shape of Megatron on several tensor-parallel ranks: the relation `tensor-parallel` says what they hold.
bool splits_known_model(const TraceView& trace);

}  // namespace goldentrace
