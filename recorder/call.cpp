#include "recorder/call.h"

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

bool encloses(const Call* outer, const Call* inner) {
  if (outer == nullptr) return false;
  while (inner != nullptr && inner->depth > outer->depth) inner = inner->parent.get();
  return inner == outer;
}

}  // namespace goldentrace
