// Comparison and byte shuffle of tensors in CUDA memory. No CUDA header is needed.
#pragma once

#include <cstddef>

#include "kernels/compare.h"

namespace goldentrace {

// A CUDA ordinal and a stream of it (a cudaStream_t; null: the default stream).
struct DeviceQueue {
  int device = 0;
  void* stream = nullptr;
};

// As compare(), of tensors whose `bytes` lie in the device's memory (the host does not read them). Sums (norms,
// relative Frobenius, cosine, ratio, worst row) are added in another order than on the CPU: equal to about 1e-12, the
// same on every run. All other figures are equal. Blocks until done; reads both tensors once, twice where rows are to
// be judged. Error as DeviceFingerprints.
Comparison compare_on_device(const TensorView& a, const TensorView& b, DeviceQueue queue,
                             const CompareOptions& options = {});

// As shuffle() of traces/shuffle.h, from device memory to device memory that does not overlap. Enqueues and returns.
// item_bytes: not 0.
void shuffle_on_device(const void* in, std::size_t bytes, std::size_t item_bytes, void* out, DeviceQueue queue);

}  // namespace goldentrace
