// What other ranks brought to a collective, as the records of this rank have it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

enum class Brought : std::uint8_t {
  no,
  here,     // an input of the collective's own label that no op of this rank made; its first input is the rank's own
  through,  // the same tensor as an input of a label around that one
};

// Per record.
std::vector<Brought> brought_by_others(std::span<const Record> records);

}  // namespace goldentrace
