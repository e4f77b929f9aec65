#include "diff/call_index.h"

#include <string>

namespace goldentrace {

CallIndex::CallIndex(std::span<const LayerCall> calls) : calls_(calls) {
  for (std::size_t row = 0; row < calls.size(); ++row) {
    const LayerCall& call = calls[row];
    rows_.emplace(Key{call.step, call.micro, call.rank, call.pass, call.layer, call.call}, row);
  }
}

const LayerCall* CallIndex::find(const RecordId& id, Pass pass) const {
  const auto found = rows_.find({id.step, id.micro, id.rank, pass, id.layer, id.call});
  return found == rows_.end() ? nullptr : &calls_[found->second];
}

const LayerCall* CallIndex::root(std::int64_t step, std::int64_t micro, std::int32_t rank, Pass pass) const {
  const auto found = rows_.lower_bound({step, micro, rank, pass, root_layer, 0});
  if (found == rows_.end()) return nullptr;
  const LayerCall& call = calls_[found->second];
  const bool fits =
      call.step == step && call.micro == micro && call.rank == rank && call.pass == pass && call.layer == root_layer;
  return fits ? &call : nullptr;
}

const LayerCall* CallIndex::call_of(const RecordId& id) const {
  if (id.pass == Pass::update && id.role != Role::loss) return root(id.step, no_micro, id.rank, Pass::update);
  const LayerCall* call = find(id, id.pass);
  if (!call) call = find(id, Pass::forward);
  if (!call) call = find(id, Pass::recompute);
  if (!call && id.role == Role::loss) call = root(id.step, id.micro, id.rank, Pass::forward);
  return call;
}

const LayerCall* CallIndex::parent(const LayerCall& call) const {
  const auto row = static_cast<std::size_t>(call.parent);
  return call.parent < 0 || row >= calls_.size() ? nullptr : &calls_[row];
}

const LayerCall* CallIndex::enclosing(const LayerCall& call) const {
  if (call.layer == root_layer) return nullptr;
  if (const LayerCall* outer = parent(call)) return outer;
  const LayerCall* own = root(call.step, call.micro, call.rank, call.pass);
  return own ? own : root(call.step, call.micro, call.rank, Pass::forward);
}

bool CallIndex::encloses(const RecordId& outer, const RecordId& inner) const {
  const LayerCall* of_outer = call_of(outer);
  const LayerCall* of_inner = call_of(inner);
  if (!of_outer || !of_inner) {
    return inner.layer.size() > outer.layer.size() + 1 && inner.layer.starts_with(outer.layer + '.');
  }
  // A damaged file could hold a cycle of parents.
  const LayerCall* call = parent(*of_inner);
  for (std::size_t hops = 0; call && hops < calls_.size(); ++hops) {
    if (call == of_outer) return true;
    call = parent(*call);
  }
  return false;
}

}  // namespace goldentrace
