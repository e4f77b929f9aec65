// The CUDA kernels' own arithmetic, run on the host block by block and thread by thread. Slow; for tests, and so that
// the device's logic is tested without a device.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/compare.h"
#include "kernels/fingerprint.h"

namespace goldentrace {

// As fingerprint(), the same bits. Sketches of at most max_device_sketch_size buckets.
Fingerprint fingerprint_by_host_walk(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options = {});

// As compare(). Sums (norms, relative Frobenius, cosine, ratio, worst row) are added in the order of the CUDA kernels,
// which is another one: equal to about 1e-12, not in every bit. All other figures are equal.
Comparison compare_by_host_walk(const TensorView& a, const TensorView& b, const CompareOptions& options = {});

// As shuffle() of traces/shuffle.h, byte by byte.
void shuffle_by_host_walk(std::span<const std::byte> in, std::size_t item_bytes, std::span<std::byte> out);

}  // namespace goldentrace
