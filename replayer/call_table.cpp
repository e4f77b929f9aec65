#include "replayer/call_table.h"

namespace goldentrace {

CallKey key_of(const LayerCall& call) { return {call.step, call.micro, call.rank, call.pass, call.layer, call.call}; }

CallKey backward_of(CallKey call) {
  call.pass = Pass::backward;
  return call;
}

CallTable::CallTable(const TraceReader& trace, std::string_view layer) {
  const auto wanted = [&](const std::string& label) { return layer.empty() || label == layer; };
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const LayerCall& call = trace.calls()[i];
    if (wanted(call.layer)) calls_.emplace(key_of(call), static_cast<std::int64_t>(i));
  }
  for (std::size_t i = 0; i < trace.records().size(); ++i) {
    const Record& record = trace.records()[i];
    if (!wanted(record.id.layer) || record.declared) continue;
    const RecordId& id = record.id;
    rows_[{id.step, id.micro, id.rank, id.pass, id.layer, id.call}][id.role].emplace(record.position,
                                                                                     static_cast<std::int64_t>(i));
  }
}

std::optional<std::int64_t> CallTable::call(const CallKey& key) const {
  const auto found = calls_.find(key);
  return found == calls_.end() ? std::nullopt : std::optional(found->second);
}

const RowsByPosition& CallTable::rows(const CallKey& key, Role role) const {
  static const RowsByPosition none;
  const auto call = rows_.find(key);
  if (call == rows_.end()) return none;
  const auto found = call->second.find(role);
  return found == call->second.end() ? none : found->second;
}

std::optional<std::int64_t> CallTable::row(const CallKey& key, Role role, std::int32_t position) const {
  const RowsByPosition& all = rows(key, role);
  const auto found = all.find(position);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace goldentrace
