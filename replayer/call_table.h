// Finds the records that belong to a call of a layer.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "traces/layer_call.h"
#include "traces/record_id.h"
#include "traces/trace_reader.h"

namespace goldentrace {

struct CallKey {
  std::int64_t step = 0, micro = 0;
  std::int32_t rank = 0;
  Pass pass = Pass::forward;
  std::string layer;
  std::int32_t call = 0;

  auto operator<=>(const CallKey&) const = default;
};

CallKey key_of(const LayerCall& call);
CallKey backward_of(CallKey call);  // where the gradients of a forward or recompute call are

// Row numbers of one role by position.
using RowsByPosition = std::map<std::int32_t, std::int64_t>;

class CallTable {
 public:
  // Knows the calls and records of `layer` only; empty: of every layer. Copies what it needs.
  CallTable(const TraceReader& trace, std::string_view layer);

  std::optional<std::int64_t> call(const CallKey& key) const;  // row of TraceReader::calls()
  const RowsByPosition& rows(const CallKey& key, Role role) const;
  std::optional<std::int64_t> row(const CallKey& key, Role role, std::int32_t position) const;

 private:
  std::map<CallKey, std::int64_t> calls_;
  std::map<CallKey, std::map<Role, RowsByPosition>> rows_;
};

}  // namespace goldentrace
