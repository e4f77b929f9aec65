// A trace of several ranks in one order: every record behind what it depends on, on whatever rank that is.
#pragma once

#include <cstdint>
#include <vector>

#include "diff/brought.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Rank files are read one after another, and no rank knows what the others do. Here the records of all ranks are put in
// step, and dataflow is drawn across ranks: what leaves a label of a collective depends on what every rank of its group
// brought, a total gradient on the shares of all data-parallel ranks, a step's reported loss on the losses of all. What
// other ranks brought to a collective is no input of the model but what left those ranks, and of the labels around the
// collective it is no input at all, and those behind it have its number: in a run of one process nothing stands for it.
// Refers to the trace, which must outlive it. A trace of one rank that met no others stays as it is.
class RankedTrace {
 public:
  explicit RankedTrace(const TraceView& trace);
  explicit RankedTrace(TraceView&&) = delete;
  RankedTrace(const RankedTrace&) = delete;
  RankedTrace& operator=(const RankedTrace&) = delete;

  const TraceView& view() const { return view_; }

 private:
  void reorder(const std::vector<std::vector<std::int64_t>>& added, const std::vector<Brought>& brought);

  const TraceView& trace_;
  std::vector<std::int64_t> rows_;  // recorded row of every row
  std::vector<Record> records_;
  TraceView view_;
};

}  // namespace goldentrace
