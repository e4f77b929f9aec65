// Small tensors are kept whole as their sketch; here they become tensors again.
#pragma once

#include <cstddef>
#include <vector>

#include "traces/fingerprint.h"
#include "traces/record.h"

namespace goldentrace {

// The sketch of this record is its elements (complex: real and imaginary parts), not buckets.
bool is_whole(const Record& record, const Sketch& sketch);

// The contiguous bytes of the record, from a sketch that is_whole. Floating, complex, integer and boolean types only;
// exact for finite elements (payloads of NaN are lost) and for integers that the sketch's type holds.
std::vector<std::byte> restore(const Record& record, const Sketch& sketch);

// restore() gives what was recorded, bit for bit.
bool can_be_restored(const Record& record, const Sketch& sketch);

}  // namespace goldentrace
