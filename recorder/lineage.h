// Which records were computed from which, within one step: the forward graph, read backwards for gradients.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/tensor_table.h"
#include "traces/record_id.h"

namespace goldentrace {

class Lineage {
 public:
  void add(std::int64_t row, const RecordId& id, const Rows& producers);
  // `gradient` is the record of the gradient of `row`. A loss is its own: that is where backward starts.
  void set_gradient(std::int64_t row, std::int64_t gradient) { gradients_[row] = gradient; }

  // Records that the gradient of `row` came from: the gradients of what was computed from it.
  Rows gradient_producers(std::int64_t row) const;
  // Of an output that was computed again in backward: it has no readers, the output it repeats has.
  Rows gradient_producers_of_repeated(RecordId output) const;

  void clear();

 private:
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> consumers_;
  std::unordered_map<std::int64_t, std::int64_t> gradients_;
  std::unordered_map<std::string, std::int64_t> forward_outputs_;
};

}  // namespace goldentrace
