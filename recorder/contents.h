// The contiguous bytes of a tensor, taken without running an op where the tensor lies in host memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

// `bytes` point into the tensor itself where it is contiguous: valid while the tensor is alive and unwritten.
// Otherwise into `copy` or `host`.
struct Contents {
  DType dtype = DType::float32;
  Shape shape;
  std::span<const std::byte> bytes;
  std::vector<std::byte> copy;
  at::Tensor host;
};

// Row-major bytes of a tensor with plain memory (recorder/geometry.h): views, transposes, expanded and overlapping ones
// included; bits are kept as they are. Tensors on a device are copied to the host with recording switched off.
Contents contents_of(const at::Tensor& tensor);

}  // namespace goldentrace
