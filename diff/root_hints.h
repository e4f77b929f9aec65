// The diagnosis of a first divergence: hints from its values, and what the traces say about its parameter.
#pragma once

#include <vector>

#include "diff/align.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Reads both payloads (or sketches) of the pair.
std::vector<Diagnosis> root_hints(const TraceView& a, const TraceView& b, const RecordPair& rows,
                                  const Divergence& root);

}  // namespace goldentrace
