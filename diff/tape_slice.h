// The ops of a tape that one of its outputs depends on.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/tape.h"

namespace goldentrace {

// One flag per op. Ops that write in place always count, because views of their target are not followed. All flags are
// set when the tape has no such output.
std::vector<bool> ops_behind(const Tape& tape, std::int32_t output_position);

}  // namespace goldentrace
