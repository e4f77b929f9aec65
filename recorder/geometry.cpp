#include "recorder/geometry.h"

#include <c10/core/ScalarType.h>

#include <algorithm>

#include "tape/dtypes.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

bool known_dtype(at::ScalarType type) {
  try {
    return item_size(to_dtype(type)) != 0;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

bool has_plain_memory(const at::Tensor& tensor) {
  const at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  return tensor.layout() == at::kStrided && impl->has_storage() && !impl->is_python_dispatch() &&
         !tensor.is_quantized() && !tensor.is_meta() && known_dtype(tensor.scalar_type());
}

Geometry geometry_of(const at::Tensor& tensor) {
  return {to_dtype(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec(), tensor.storage_offset()};
}

Extent extent_of(const Geometry& geometry) {
  Extent extent{geometry.offset, geometry.offset + 1};
  for (std::size_t axis = 0; axis < geometry.shape.size(); ++axis) {
    if (geometry.shape[axis] == 0) return {geometry.offset, geometry.offset};
    const std::int64_t reach = (geometry.shape[axis] - 1) * geometry.strides[axis];
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  return extent;
}

}  // namespace goldentrace
