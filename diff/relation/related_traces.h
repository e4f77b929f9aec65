// Two traces seen through a relation: as two traces of logical tensors under A's names, aligned.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "diff/align.h"
#include "diff/relation/position_choice.h"
#include "diff/relation/relation.h"
#include "diff/relation/relation_use.h"
#include "diff/trace_view.h"
#include "traces/record_id.h"

namespace goldentrace {

// A record that the relation says has no counterpart.
struct LeftOutRecord {
  Side side = Side::a;
  RecordId id;  // as it was recorded
  std::string reason;
};

// A pair of which only a part is compared.
struct PartialPair {
  RecordId id;       // A's
  std::string text;  // "11 of 16 entries of axis 2 (vocabulary padding)"
};

class RelatedTraces {
 public:
  // Everything must outlive it. Error(usage), naming file and line, where a relation read from a file takes no record
  // of a trace, or its form fits none of the tensors that it takes. A tensor of another shape that the form does not
  // fit is a difference (LogicalView::misfit).
  // `positions`: only these samples and positions count.
  RelatedTraces(const TraceView& a, const TraceView& b, const RelationSets& sets, const PositionChoice& positions);
  ~RelatedTraces();
  RelatedTraces(const RelatedTraces&) = delete;
  RelatedTraces& operator=(const RelatedTraces&) = delete;

  const TraceView& a() const;
  const TraceView& b() const;
  const Alignment& alignment() const;
  // "A is megatron, B is hf"; empty where the relation does not name its sides.
  std::string sides() const;
  // Which lines were used, and for how many records.
  std::vector<UsedLine> used() const;
  std::vector<LeftOutRecord> left_out() const;
  std::vector<PartialPair> partial() const;
  // Copies that a form calls replicated and that are not equal to the first one.
  const std::vector<RecordId>& unequal_copies() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
