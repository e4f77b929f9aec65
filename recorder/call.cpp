#include "recorder/call.h"

#include <algorithm>
#include <iterator>

namespace goldentrace {

ValueIndex OpLog::number_of(TensorUid uid) {
  const auto [entry, added] = numbers.emplace(uid, static_cast<ValueIndex>(values.size()));
  if (added) {
    values.emplace_back();
    values.back().uid = uid;
  }
  return entry->second;
}

std::int64_t OpLog::made_at(TensorUid uid) const {
  const auto found = numbers.find(uid);
  return found == numbers.end() ? -1 : values[static_cast<std::size_t>(found->second)].made_at;
}

void Call::release() {
  released = true;
  log = std::make_shared<OpLog>();
  externals.clear();
  edges.clear();
  unseen_nodes.clear();
}

bool OpLog::made_node(std::uint64_t thread, std::uint64_t number) const {
  const auto behind = std::upper_bound(nodes.begin(), nodes.end(), number,
                                       [](std::uint64_t value, const NodeRange& range) { return value < range.begin; });
  return behind != nodes.begin() && std::prev(behind)->contains(thread, number);
}

bool encloses(const Call* outer, const Call* inner) {
  if (outer == nullptr) return false;
  while (inner != nullptr && inner->depth > outer->depth) inner = inner->parent.get();
  return inner == outer;
}

}  // namespace goldentrace
