// Hash, statistics and sketch of one tensor in one pass over its bytes.
#pragma once

#include <cstddef>
#include <span>

#include "traces/dtype.h"
#include "traces/fingerprint.h"

namespace goldentrace {

inline constexpr std::size_t default_sketch_size = 256;

struct FingerprintOptions {
  std::size_t sketch_size = default_sketch_size;  // buckets m; 0: no sketch
};

// `bytes`: the contiguous row-major elements, unaligned allowed. Hash as content_hash; statistics as Statistics says;
// sketch as kernels/sketch.h. Tensors of at most m elements are kept whole as their sketch. Complex tensors are taken
// as twice as many real elements. Any thread; allocates only the sketch.
Fingerprint fingerprint(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options = {});

}  // namespace goldentrace
