// What the values of a diverging pair alone suggest. Hints are guesses: nothing here is proved.
#pragma once

#include <vector>

#include "diff/report.h"
#include "kernels/compare.h"

namespace goldentrace {

// Equal shapes. `judgement` must have been measured on these views. One or two passes over the tensors.
std::vector<Diagnosis> hints(const TensorView& a, const TensorView& b, const Judgement& judgement);

// The ratio alone, from sketches of equal size (they are linear: sketch(kA) = k sketch(A)).
std::vector<Diagnosis> hints_from_sketches(const Sketch& a, const Sketch& b);

}  // namespace goldentrace
