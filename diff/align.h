// Which record of B stands for which record of A.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

struct RecordPair {
  std::int64_t a = 0;  // rows
  std::int64_t b = 0;
};

struct Alignment {
  std::vector<RecordPair> pairs;      // in A's order
  std::vector<std::int64_t> missing;  // rows of A without a partner
  std::vector<std::int64_t> extra;    // rows of B without a partner
};

// Identity alignment. Records meet within the same (step, micro, rank, pass, layer, call, role): by position of first
// use; parameters, their gradients and buffers first by name, so that one left out does not shift the others; declared
// inputs by name alone. `op_output` records take no part: tapes compare ops.
Alignment align(std::span<const Record> a, std::span<const Record> b);

}  // namespace goldentrace
