// Which labels of two traces are the same, by their weights and by the content of what leaves them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diff/relation/weight_match.h"
#include "diff/trace_view.h"

namespace goldentrace {

struct InputMatch {
  std::string index_a, index_b;
  std::optional<std::string> form;  // of A, and of B where it is common(-1); nothing: no input of b is like it
};

struct LabelMatch {
  std::string a, b;
  std::optional<std::string> output_form;  // nothing: the weights say so, their outputs are not alike
  std::vector<InputMatch> inputs;
};

struct LabelMatches {
  std::vector<LabelMatch> pairs;  // in A's order
  std::vector<std::string> only_a, only_b;
};

// Forms are those of activations, a bias that A adds in another label of the block, or common(-1) where one side has
// more entries in the last axis. Looks at the first step and micro-batch. Outputs without payload are alike by hash
// alone.
LabelMatches match_labels(const TraceView& a, const TraceView& b, const WeightMatches& weights);

}  // namespace goldentrace
