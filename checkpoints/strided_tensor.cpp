#include "checkpoints/strided_tensor.h"

#include <cstring>

namespace goldentrace {
namespace {

void copy_dimension(const StridedTensor& view, std::size_t dimension, const std::byte* from, std::byte*& out) {
  const std::size_t item = item_size(view.dtype);
  const std::int64_t extent = dimension < view.shape.size() ? view.shape[dimension] : 1;
  const std::int64_t stride = dimension < view.shape.size() ? view.strides[dimension] : 1;
  const bool innermost = dimension + 1 >= view.shape.size();
  for (std::int64_t i = 0; i < extent; ++i) {
    const std::byte* const element = from + i * stride * static_cast<std::int64_t>(item);
    if (!innermost) {
      copy_dimension(view, dimension + 1, element, out);
      continue;
    }
    std::memcpy(out, element, item);
    out += item;
  }
}

}  // namespace

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i] > 0 ? shape[i] : 1;
  }
  return strides;
}

bool is_contiguous(const StridedTensor& view) {
  const std::vector<std::int64_t> strides = contiguous_strides(view.shape);
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (view.shape[i] > 1 && view.strides[i] != strides[i]) return false;
  return true;
}

std::uint64_t element_count(const StridedTensor& view) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : view.shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

std::uint64_t byte_count(const StridedTensor& view) { return element_count(view) * item_size(view.dtype); }

void copy_elements(const StridedTensor& view, std::span<std::byte> out) {
  if (out.empty()) return;
  if (is_contiguous(view)) {
    std::memcpy(out.data(), view.data, out.size());
    return;
  }
  std::byte* at = out.data();
  copy_dimension(view, 0, view.data, at);
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

std::string describe(const StridedTensor& view) { return std::string(name(view.dtype)) + " " + shape_text(view.shape); }

}  // namespace goldentrace
