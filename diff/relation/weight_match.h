// Which weights of two traces are the same, by content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/trace_view.h"

namespace goldentrace {

// A parameter read in the first step, where it is used: not in the labels around.
struct WeightRecord {
  std::int64_t row = 0;
  std::vector<std::int64_t> around;  // rows of the same parameter in enclosing labels
};

struct WeightMatch {
  std::size_t a = 0, b = 0;  // places in the two lists
  std::string form;          // what is done to the side with the payload
  double error = 0;          // relative; 0: equal bits
  bool common = false;       // the rows that both have are equal
};

struct WeightMatches {
  std::vector<WeightRecord> a, b;
  std::vector<WeightMatch> matches;
  bool form_on_a = true;  // else on b: only that trace has the payload
};

std::vector<WeightRecord> weights_of(const TraceView& trace);
WeightMatches match_weights(const TraceView& a, const TraceView& b);

// "layers.3" of "layers.3.mlp": up to the first part that is a number; empty without one.
std::string block_of(const std::string& layer);

// |form(a) - b| / |a| under a form; infinity where it does not fit. Reads both payloads.
double form_error(const TraceView& a, std::int64_t row_a, const TraceView& b, std::int64_t row_b,
                  const std::string& form);
// The same for other content of a's record.
double form_error(const Record& of_a, const std::vector<std::byte>& content, const TraceView& b, std::int64_t row_b,
                  const std::string& form);

}  // namespace goldentrace
