// One entry of a layer: what the tape of that entry is, and how it can be run again.
#pragma once

#include <cstdint>
#include <string>

#include "traces/record_id.h"

namespace goldentrace {

// Result of the recorder's self-check: the tape was run once at record time and compared bit for bit.
enum class Replayable : std::uint8_t { unchecked = 0, bit_equal = 1, differs = 2, unsupported = 3 };

std::string_view name(Replayable replayable);  // "bit-equal"

struct LayerCall {
  std::int64_t step = 0;
  std::int64_t micro = 0;
  std::int32_t rank = 0;
  Pass pass = Pass::forward;  // forward or recompute; update for the (root) tape of an optimizer step
  std::string layer;
  std::int32_t call = 0;

  std::int64_t parent = -1;  // row of the enclosing layer's call; -1: directly in (root)
  std::int64_t tape = -1;    // number of the tape; -1: none (tapes switched off for this call)
  std::int64_t random = -1;  // number of the blob with the CPU generator's state at entry; -1: not recorded
  Replayable replayable = Replayable::unchecked;
  std::string note;  // why it differs or is unsupported
};

}  // namespace goldentrace
