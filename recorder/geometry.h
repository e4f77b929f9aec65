// Where a tensor lies in its storage.
#pragma once

#include <ATen/core/Tensor.h>

#include "traces/record.h"

namespace goldentrace {

struct Geometry {
  DType dtype = DType::float32;
  Shape shape;
  Shape strides;            // in elements
  std::int64_t offset = 0;  // in elements

  bool operator==(const Geometry&) const = default;
};

// Ordinary memory: strided, not quantized, not a wrapper of functorch, of a dtype that traces know.
bool has_plain_memory(const at::Tensor& tensor);

// Of a tensor with plain memory.
Geometry geometry_of(const at::Tensor& tensor);

// Half-open range of element indices in the storage that the elements of `geometry` lie in; empty: [offset, offset).
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Extent extent_of(const Geometry& geometry);

}  // namespace goldentrace
