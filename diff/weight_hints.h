// What the other parameters of two traces say about one that differs.
#pragma once

#include <vector>

#include "diff/align.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// "A's logits weight equals A's embedding.word weight": tied in one trace and not in the other. "B holds A's
// layers.1.norm weight": what B has in this place is another parameter of A, as a layer counted wrongly makes it. Equal
// contents are told by hash; a parameter of one repeated number says nothing.
std::vector<Diagnosis> weight_hints(const TraceView& a, const TraceView& b, const RecordPair& rows);

}  // namespace goldentrace
