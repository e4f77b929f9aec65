// From gathered sums to a Fingerprint; the same for CPU, GPU and host walk.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/fingerprint.h"
#include "kernels/fingerprint_gather.h"

namespace goldentrace {

// std::logic_error unless `bytes` are whole elements and the sketch is of an allowed size.
void check_fingerprint(std::size_t bytes, DType dtype, const FingerprintOptions& options);

// False for none and float8, which are hashed only.
bool is_numeric(DType dtype);

// Tensors of at most m real elements are kept whole as their sketch.
bool is_kept_whole(std::size_t bytes, DType dtype, const FingerprintOptions& options);

Hash128 to_hash128(const xxh3::Hash& hash);

Statistics final_statistics(const PartialStatistics& part, const PartialStatistics& scaled);

}  // namespace goldentrace
