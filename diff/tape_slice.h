// The ops of a tape that one of its outputs depends on.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/tape.h"

namespace goldentrace {

// In place of an output: everything that is written in place, such as parameters by the optimizer.
inline constexpr std::int32_t written_in_place = -1;

// One flag per op. Ops that write in place always count, because views of their target are not followed. All flags are
// set when the tape has no such output, or none that writes in place.
std::vector<bool> ops_behind(const Tape& tape, std::int32_t output_position);

}  // namespace goldentrace
