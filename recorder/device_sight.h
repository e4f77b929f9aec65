// Tensors in the memory of a device: fingerprints taken there, and copies to the host that run behind the model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

#include "kernels/device_fingerprint.h"
#include "traces/dtype.h"

namespace goldentrace {

// Bytes that arrive later.
struct ComingBytes {
  std::shared_ptr<const std::byte> bytes;  // pinned host memory
  std::function<void()> wait;              // until they are there; any thread
};

// Not thread-safe: the session's lock is held around it.
class DeviceSight {
 public:
  // Contiguous plain tensors of a device that this build has kernels for. Others are copied to the host as they are.
  bool reads(const at::Tensor& tensor, std::size_t sketch_size) const;

  // As fingerprint() of the same bytes on the host. Nothing but the result leaves the device; waits for the stream.
  Fingerprint fingerprint(const at::Tensor& tensor, DType dtype, std::size_t sketch_size);

  // Copies on a stream of its own, behind the tensor's stream, which goes on when the copy is done: a later op may
  // write the tensor.
  static ComingBytes copy(const at::Tensor& tensor);

 private:
  using Key = std::pair<int, std::size_t>;  // device, sketch size
  std::map<Key, std::unique_ptr<DeviceFingerprints>> fingerprints_;
};

}  // namespace goldentrace
