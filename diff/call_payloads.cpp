#include "diff/call_payloads.h"

namespace goldentrace {

namespace {

bool is_read(const Record& record) {
  const Role role = record.id.role;
  const bool forward = role == Role::input || role == Role::param || role == Role::buffer;
  return role == Role::grad_output || (forward && record.id.pass != Pass::update && !record.declared);
}

}  // namespace

CallPayloads::CallPayloads(const TraceView& trace, const CallIndex& calls)
    : first_(trace.calls.data()), incomplete_(trace.calls.size(), 0) {
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const Record& record = trace.records[row];
    if (!is_read(record) || trace.has_payload(static_cast<std::int64_t>(row))) continue;
    if (const LayerCall* call = calls.call_of(record.id)) incomplete_[static_cast<std::size_t>(call - first_)] = 1;
  }
}

bool CallPayloads::are_complete(const LayerCall* call) const {
  return !call || incomplete_[static_cast<std::size_t>(call - first_)] == 0;
}

}  // namespace goldentrace
