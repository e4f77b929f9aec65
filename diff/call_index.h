// Finds the layer call that a record belongs to, and what encloses it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

#include "traces/layer_call.h"
#include "traces/record_id.h"

namespace goldentrace {

// Refers to the calls of one trace, which must outlive it.
class CallIndex {
 public:
  explicit CallIndex(std::span<const LayerCall> calls);

  // The call whose tape made the record: for gradients the forward (or recompute) call of the same number, for
  // records of pass update the (root) call of the update. Null when it was not recorded.
  const LayerCall* call_of(const RecordId& id) const;
  // The call around this one: its parent, or the (root) call of the same step and micro. Null for a (root) call.
  const LayerCall* enclosing(const LayerCall& call) const;
  const LayerCall* root(std::int64_t step, std::int64_t micro, std::int32_t rank, Pass pass) const;

  // Whether the layer call of `inner` ran inside the one of `outer`. Without recorded calls: by dotted names.
  bool encloses(const RecordId& outer, const RecordId& inner) const;

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int32_t, Pass, std::string_view, std::int32_t>;

  const LayerCall* find(const RecordId& id, Pass pass) const;
  const LayerCall* parent(const LayerCall& call) const;

  std::span<const LayerCall> calls_;
  std::map<Key, std::size_t> rows_;
};

}  // namespace goldentrace
