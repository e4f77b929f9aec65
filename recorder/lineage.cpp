#include "recorder/lineage.h"

namespace goldentrace {
void Lineage::add(std::int64_t row, const RecordId& id, const Rows& producers) {
  for (const std::int64_t producer : producers) consumers_[producer].push_back(row);
  if (id.pass == Pass::forward && id.role == Role::output) forward_outputs_.emplace(to_string(id), row);
}

Rows Lineage::gradient_producers(std::int64_t row) const {
  Rows found;
  const auto consumers = consumers_.find(row);
  if (consumers == consumers_.end()) return found;
  for (const std::int64_t consumer : consumers->second) {
    if (const auto gradient = gradients_.find(consumer); gradient != gradients_.end()) merge(found, {gradient->second});
  }
  return found;
}

Rows Lineage::gradient_producers_of_repeated(RecordId output) const {
  output.pass = Pass::forward;
  const auto first = forward_outputs_.find(to_string(output));
  return first == forward_outputs_.end() ? Rows() : gradient_producers(first->second);
}

void Lineage::clear() {
  consumers_.clear();
  gradients_.clear();
  forward_outputs_.clear();
}

}  // namespace goldentrace
