// Compares two traces: the whole of `gtrace diff A B`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/gate.h"
#include "diff/quality_options.h"
#include "diff/relation/position_choice.h"
#include "diff/relation/relation.h"
#include "diff/report.h"
#include "diff/rules.h"
#include "diff/trace_view.h"
#include "diff/work_queue.h"

namespace goldentrace {

class TraceReader;

// Which logical tensors correspond.
enum class RelationUse {
  automatic,  // the built-in relations that the two headers ask for, else by name
  identity,   // by name
  given,      // DiffOptions::relations
  inferred,   // by content
};

struct DiffOptions {
  Gate gate;                // of every record that no rule speaks about
  Rules rules;              // read_rules(FILE)
  std::string filter;       // glob: only records of these layers are judged; empty: all. Model inputs always are.
  std::int64_t limit = 10;  // longest list of records in the text report, and of roots whose tapes are compared
  RelationUse relation_use = RelationUse::automatic;
  RelationSets relations;  // used together, in their order
  RelationSets also;       // used before those, whatever they are
  PositionChoice positions;
  std::vector<TraceView> repeats;  // of the golden: tensors that change between them are judged by how much they do
  QualityOptions quality;
  WorkLimits work;
};

// a is the golden and the reference. Order of judgement: model inputs (different data: incomparable), the weights of
// the first step (equal values whatever the gate, unless a rule with role = "param" says otherwise), then records in
// dataflow order. What is found is in the report, "nothing compared" included; Error only for a trace that cannot be
// read. Compares on several threads, bounded memory.
Report diff(const TraceReader& a, const TraceReader& b, const DiffOptions& options = {});
Report diff(const TraceView& a, const TraceView& b, const DiffOptions& options = {});

// The checks inside one trace, which are part of every diff: copies on several ranks are equal, recomputed layers equal
// their first forward pass (random state included), parameters enter a step as the step before left them, reductions
// over ranks are sums. Only DiffOptions::filter is read.
Report diff(const TraceReader& trace, const DiffOptions& options = {});
Report diff(const TraceView& trace, const DiffOptions& options = {});

}  // namespace goldentrace
