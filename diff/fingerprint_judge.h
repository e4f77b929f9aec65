// Judges a pair of records of which at least one has no payload: by hash, statistics and sketch.
#pragma once

#include <span>

#include "diff/gate.h"
#include "diff/relation/logical_view.h"
#include "traces/record.h"

namespace goldentrace {

// Shape and dtype alone; bit_equal stands for "nothing found yet".
Judgement judge_types(const Record& a, const Record& b, const Gate& gate);

// Equal hashes of one type: bit-equal, unless NaN is there and NanPolicy::differ refuses it. True when decided.
bool judge_hashes(const Record& a, const Record& b, const Gate& gate, Judgement& judgement);

// Unequal hashes are never called bit-equal. Whole small tensors are compared element by element, and integer ones by
// hash; `allclose` with both limits 0 asks for equal values and is answered by hash too. Otherwise `rel` decides by (1
// + 4 / sqrt(2m)) x estimated relative error, four deviations of the estimate, and is marked estimated; `allclose` is
// undecidable, and so is everything when sketches are absent or of unequal size.
Judgement judge_fingerprints(const Record& a, const Sketch& sketch_a, const Record& b, const Sketch& sketch_b,
                             const Gate& gate);

// One tensor of which both sides have the fingerprints of the same parts, each judged by itself. `a`, `b`: the first
// part. Under `rel` their errors are added up as those of the whole tensor; else the worst one stands.
Judgement judge_parts(std::span<const Judgement> parts, const Gate& gate, const RecordedTensor& a,
                      const RecordedTensor& b);

}  // namespace goldentrace
