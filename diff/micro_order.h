// Two runs that take the micro-batches of a step in another order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "diff/trace_view.h"

namespace goldentrace {

// Trace B with the numbers that its micro-batches have in A, found by the hashes of their declared inputs: only where a
// step of a rank has the same ones in both, in another order. Refers to B, which must outlive it.
class MicroOrder {
 public:
  MicroOrder(const TraceView& a, const TraceView& b);
  MicroOrder(const MicroOrder&) = delete;
  MicroOrder& operator=(const MicroOrder&) = delete;

  const TraceView& view() const { return view_; }
  // "micro-batches of B in another order, by their inputs: 2, 0, 1 in step 0"; empty where none are.
  std::string note() const;

 private:
  using Step = std::pair<std::int64_t, std::int32_t>;    // step, rank
  using Numbers = std::map<std::int64_t, std::int64_t>;  // B's micro-batch: A's

  void renumber();

  const TraceView& trace_;
  std::map<Step, Numbers> numbers_;
  std::vector<Record> records_;
  std::vector<LayerCall> calls_;
  TraceView view_;
};

}  // namespace goldentrace
