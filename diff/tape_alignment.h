// Which op of one tape stands for which op of another: a cheapest edit of one op list into the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/tape.h"

namespace goldentrace {

struct OpPair {
  std::int64_t a = -1;  // ordinal in the tape; -1: only the other side has the op
  std::int64_t b = -1;
};

// The chosen ops (ordinals, ascending) of both tapes, in order. Equal name and arguments other than tensors cost
// nothing, the same op with other arguments 2, another op in its place 5, an op on one side only 3. Of equally cheap
// edits the one that pairs the earliest ops is taken, so an op repeated at the end is the one left over. Long tapes
// are aligned in windows: memory stays bounded.
std::vector<OpPair> align_ops(const Tape& a, std::span<const std::int64_t> ops_a, const Tape& b,
                              std::span<const std::int64_t> ops_b);

}  // namespace goldentrace
