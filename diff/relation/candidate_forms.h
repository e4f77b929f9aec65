// Forms that turn one program's layout of a tensor into another's, to be tried.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/trace_view.h"
#include "traces/record.h"

namespace goldentrace {

// Numbers of heads that the headers speak of; common ones where they say nothing.
std::vector<std::int64_t> head_counts(const TraceView& a, const TraceView& b);

struct CandidateForm {
  std::string form;
  std::string words;  // what it means that B is A under this form
};

// As it is; transposed; rows (or columns) of query, key and value per head against thirds in every version of
// Megatron's checkpoints; halves of gated projections by shards. Only those that fit the shape.
std::vector<CandidateForm> weight_forms(const Shape& shape, const std::vector<std::int64_t>& heads);

// As it is; batch and sequence exchanged, with the last axis per head or in thirds; heads apart or beside the batch.
std::vector<std::string> activation_forms(const Shape& shape, const std::vector<std::int64_t>& heads);

}  // namespace goldentrace
