// Memory for the results of many tensors: on the device, where kernels write them, and pinned on the host, where the
// copy goes. Only in builds with CUDA.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "kernels/cuda_call.h"
#include "kernels/fingerprint_gather.h"

namespace goldentrace {

struct ResultSlab {
  DeviceMemory device;
  PinnedMemory host;
};

// Slabs of equal size, lent and given back. Any thread.
class ResultSlabs {
 public:
  static constexpr std::size_t slots = 1024;  // results in a slab

  explicit ResultSlabs(std::size_t sketch_size) : slot_bytes_(sizeof(TensorResult) + sketch_size * sizeof(double)) {}

  std::size_t slot_bytes() const { return slot_bytes_; }

  // On the current device.
  ResultSlab take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        ResultSlab slab = std::move(free_.back());
        free_.pop_back();
        return slab;
      }
    }
    return {new_device_memory(slots * slot_bytes_), new_pinned_memory(slots * slot_bytes_)};
  }

  // Nothing may still write to it.
  void give_back(ResultSlab slab) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(slab));
  }

 private:
  const std::size_t slot_bytes_;
  std::mutex mutex_;
  std::vector<ResultSlab> free_;
};

}  // namespace goldentrace
