// Where two runs were fed different tokens, and which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diff/align.h"
#include "diff/pair_judge.h"
#include "diff/trace_view.h"

namespace goldentrace {

struct TokenDifference {
  std::int64_t place = -1;  // flat index within the record; -1: the shapes differ
  std::string text;         // "id 119 'w' | 116 't'", with the pieces of text that the headers know
};

// Of a pair of declared inputs `ids` that differ: the first place where they do, from the payloads or, without them,
// from the headers (data.ids). Nothing where neither says it.
std::optional<TokenDifference> token_difference(const TraceView& a, const TraceView& b, const RecordPair& rows,
                                                const Judgement& judgement);

}  // namespace goldentrace
