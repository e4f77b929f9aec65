// Remarks above the verdict: nothing here changes it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diff/align.h"
#include "diff/relation/position_choice.h"
#include "diff/report.h"
#include "diff/rules.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Names whose values differ, in alphabetical order.
std::vector<HeaderDifference> diff_headers(const TraceView& a, const TraceView& b);

// "A and B are the same file", when both paths lead to one file.
std::vector<std::string> file_notes(const TraceView& a, const TraceView& b);

// "A is rank 0 of 4 alone", for a side that is one file of a run on several ranks.
std::vector<std::string> rank_notes(const TraceView& a, const TraceView& b);

// One line per kind: "12 records: float32 against float64".
std::vector<std::string> dtype_notes(const TraceView& a, const TraceView& b, std::span<const RecordPair> pairs);

// "rule at rules.toml line 4 speaks of no record", for every such rule.
std::vector<std::string> rule_notes(const Rules& rules, const TraceView& a);

// What is compared of every batch.
std::vector<std::string> position_notes(const PositionChoice& positions);

}  // namespace goldentrace
