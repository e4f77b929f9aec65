// The CUDA kernels' own arithmetic, run on the host block by block and thread by thread. Slow; for tests, and so that
// the device's logic is tested without a device.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/fingerprint.h"

namespace goldentrace {

// As fingerprint(), the same bits. Sketches of at most max_device_sketch_size buckets.
Fingerprint fingerprint_by_host_walk(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options = {});

}  // namespace goldentrace
