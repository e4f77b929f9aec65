// Which relation a diff uses, and what its report says of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "diff/diff.h"
#include "diff/relation/related_traces.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

struct ChosenRelation {
  RelationSets sets;   // empty: by name
  std::string chosen;  // RelationReport::chosen
  std::string toml;    // of an inferred one
  std::vector<std::string> unmatched;
};

ChosenRelation choose_relation(const TraceView& a, const TraceView& b, const DiffOptions& options);
RelationReport relation_report(const ChosenRelation& chosen, const RelatedTraces& related);

}  // namespace goldentrace
