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
    if (axis == sizes_.size()) return emit(from, item_);
    const std::int64_t size = sizes_[axis], step = strides_[axis] * static_cast<std::int64_t>(item_);
    const bool last = axis + 1 == sizes_.size();
    if (last && strides_[axis] == 1) return emit(from, item_ * static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      last ? emit(from + i * step, item_) : copy_axis(axis + 1, from + i * step);
    }
  }

  void emit(const std::byte* from, std::size_t bytes) {
    std::memcpy(target_, from, bytes);
    target_ += bytes;
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
