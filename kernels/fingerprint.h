// Hash, statistics and sketch of one tensor in one pass over its bytes.
#pragma once

#include <cstddef>
#include <span>

#include "traces/dtype.h"
#include "traces/fingerprint.h"

namespace goldentrace {

inline constexpr std::size_t default_sketch_size = 256;

struct FingerprintOptions {
  std::size_t sketch_size = default_sketch_size;  // buckets m, at most max_sketch_size; 0: no sketch
};

// `bytes`: the contiguous row-major elements, unaligned allowed, a multiple of the item size (else std::logic_error).
// Hash as content_hash; statistics as Statistics says; sketch as kernels/sketch.h, non-finite elements as 0.
//
// Tensors of at most m elements are kept whole as their sketch (sketch.size() is the number of elements then, and a
// non-finite element is kept as it is). Complex tensors are taken as twice as many real elements. 64-bit integers are
// rounded to double. float8 and none: statistics are all 0 and the sketch is empty.
//
// Any thread; extra memory is the sketch and 1/1024 of the tensor. The result depends on nothing but the bytes and the
// dtype: not on the CPU, nor on rounding or flush-to-zero modes of the caller.
Fingerprint fingerprint(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options = {});

}  // namespace goldentrace
