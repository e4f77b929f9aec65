// Finds out by content which tensors of two traces correspond, and writes it down as a relation for review.
#pragma once

#include <string>
#include <vector>

#include "diff/relation/relation.h"
#include "diff/trace_view.h"

namespace goldentrace {

struct InferredRelation {
  std::string text;                    // TOML; parse_relation reads it
  std::vector<std::string> unmatched;  // weights and layers of either side for which nothing was found
  std::int64_t exact = 0;              // weights of equal hash under a form
  std::int64_t close = 0;              // weights that only come near: told apart in the text
};

// Weights first: of the first step, under every transpose and regrouping of rows that checkpoints are known to have, by
// hash, then by the smallest difference; among equal contents the one in the layer that other weights point to. Then
// layers, by what their weights say and by the content of their outputs, and their inputs likewise. Needs the payload
// of the weights of one trace, and of the outputs of both. Error(incomparable) where no weight corresponds.
InferredRelation infer_relation(const TraceView& a, const TraceView& b);

}  // namespace goldentrace
