#include "recorder/contents.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/resolve_neg.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>

#include <cstring>

#include "recorder/geometry.h"

namespace goldentrace {
namespace {

// Copies the elements of a strided tensor in row-major order, the last axis in one go where it is dense.
class RowMajorCopy {
 public:
  RowMajorCopy(const at::Tensor& tensor, std::byte* target)
      : sizes_(tensor.sizes()),
        strides_(tensor.strides()),
        item_(tensor.element_size()),
        source_(static_cast<const std::byte*>(tensor.const_data_ptr())),
        target_(target) {}

  void run() { copy_axis(0, source_); }

 private:
  void copy_axis(std::size_t axis, const std::byte* from) {
    if (axis + 1 >= sizes_.size()) return copy_row(from);
    const std::int64_t step = strides_[axis] * static_cast<std::int64_t>(item_);
    for (std::int64_t i = 0; i < sizes_[axis]; ++i) copy_axis(axis + 1, from + i * step);
  }

  void copy_row(const std::byte* from) {
    const auto count = static_cast<std::size_t>(sizes_.empty() ? 1 : sizes_.back());
    if (sizes_.empty() || strides_.back() == 1) {
      std::memcpy(target_, from, item_ * count);
    } else {
      gather(from, count);
    }
    target_ += item_ * count;
  }

  void gather(const std::byte* from, std::size_t count) {
    switch (item_) {
      case 1:
        return gather_items<1>(from, count);
      case 2:
        return gather_items<2>(from, count);
      case 4:
        return gather_items<4>(from, count);
      case 8:
        return gather_items<8>(from, count);
      default:
        return gather_items<16>(from, count);
    }
  }

  template <std::size_t Item>
  void gather_items(const std::byte* from, std::size_t count) {
    const std::int64_t step = strides_.back() * static_cast<std::int64_t>(Item);
    for (std::size_t i = 0; i < count; ++i, from += step) std::memcpy(target_ + i * Item, from, Item);
  }

  at::IntArrayRef sizes_, strides_;
  std::size_t item_;
  const std::byte* source_;
  std::byte* target_;
};

// An empty payload is one all the same, unlike a null pointer.
constexpr std::byte no_bytes{};

// Conjugated and negated views hold other bits than their values.
at::Tensor settled(const at::Tensor& tensor) {
  if (tensor.device().is_cpu() && !tensor.is_conj() && !tensor.is_neg()) return tensor;
  const at::DisableRecordFunctionGuard unseen;
  const at::NoGradGuard no_grad;
  const at::Tensor plain = at::resolve_neg(at::resolve_conj(tensor.detach()));
  return plain.device().is_cpu() ? plain : plain.to(at::kCPU);
}

}  // namespace

Contents contents_of(const at::Tensor& tensor) {
  Contents contents;
  contents.host = settled(tensor);
  const Geometry geometry = geometry_of(contents.host);
  contents.dtype = geometry.dtype;
  contents.shape = geometry.shape;
  const auto bytes = static_cast<std::size_t>(byte_count(contents.shape, contents.dtype));
  if (bytes == 0) {
    contents.bytes = {&no_bytes, 0};
  } else if (contents.host.is_contiguous()) {
    contents.bytes = {static_cast<const std::byte*>(contents.host.const_data_ptr()), bytes};
  } else {
    contents.copy.resize(bytes);
    RowMajorCopy(contents.host, contents.copy.data()).run();
    contents.bytes = contents.copy;
  }
  return contents;
}

}  // namespace goldentrace
