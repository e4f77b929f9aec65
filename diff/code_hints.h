// What ops and settings of two layers say about a difference, whatever else their code has in common.
#pragma once

#include <optional>
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

// "norm epsilon 1e-05 | 1e-06" where the output of a norm differs and the headers have the two values.
std::optional<Diagnosis> epsilon_hint(const Header& a, const Header& b, const RecordId& root);

// "vocabulary of 99 | 128 tokens" where the first loss differs and the headers have other sizes: padding that one side
// takes for tokens, or tokens that went with it.
std::optional<Diagnosis> vocabulary_hint(const Header& a, const Header& b, const RecordId& root);

// "attention heads 4 | 2" where the shapes of scores or probabilities differ and the headers say why.
std::optional<Diagnosis> head_count_hint(const Header& a, const Header& b, const PairReport& root);

// "GQA: 4 heads in 2 query groups | 4 heads without groups" where query, key and value of the two models have
// unequal sizes and the headers say why.
std::optional<Diagnosis> query_group_hint(const Header& a, const Header& b, const PairReport& root);

}  // namespace goldentrace
