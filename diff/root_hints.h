// The diagnosis of a first divergence: hints from its values, from the ops that made it, and what the traces say about
// its parameter.
#pragma once

#include <vector>

#include "diff/align.h"
#include "diff/layer_code.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Reads both payloads (or sketches) of the pair.
std::vector<Diagnosis> root_hints(const TraceView& a, const TraceView& b, const RecordPair& rows, const LayerCode& code,
                                  const Divergence& root);

}  // namespace goldentrace
