// What ops and settings of two layers say about a difference, whatever else their code has in common.
#pragma once

#include <vector>

#include "diff/report.h"
#include "traces/header.h"
#include "traces/tape.h"

namespace goldentrace {

// "norm epsilon 1e-05 | 1e-06" where the norms of a and of b each have one epsilon and it is another; "GELU
// approximation: erf | tanh" where each has one form of GELU, with the largest difference of `root`.
std::vector<Diagnosis> code_hints(const Tape& a, const Tape& b, const Divergence& root);

// "allow_tf32 differs: false | true" where the layers multiply matrices and the headers do not agree on what float32
// products are rounded to.
std::vector<Diagnosis> precision_hints(const Header& a, const Header& b, const Tape& tape);

}  // namespace goldentrace
