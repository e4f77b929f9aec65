// How a model in float16 or bfloat16 is computed on a CPU.
#pragma once

#include <ATen/core/Tensor.h>

namespace goldentrace {

enum class HalfMode {
  native,    // LibTorch's kernels of that type
  emulated,  // each op in float32, its result rounded once: the same everywhere that float32 is the same
};

inline bool is_half(at::ScalarType dtype) { return dtype == at::kHalf || dtype == at::kBFloat16; }

// The tensor in float32 when it is of a half type (one op), else the tensor itself. Undefined stays undefined.
inline at::Tensor upcast(const at::Tensor& tensor) {
  return tensor.defined() && is_half(tensor.scalar_type()) ? tensor.to(at::kFloat) : tensor;
}

// The tensor in `dtype`; no op when it is of that type.
inline at::Tensor rounded_to(const at::Tensor& tensor, at::ScalarType dtype) {
  return tensor.scalar_type() == dtype ? tensor : tensor.to(dtype);
}

// op(inputs…), in the mode asked for; all inputs are of one type, which is that of the result.
template <class Op, class... Tensors>
at::Tensor rounded_once(HalfMode mode, Op op, const at::Tensor& first, const Tensors&... rest) {
  if (mode == HalfMode::native || !is_half(first.scalar_type())) return op(first, rest...);
  return op(upcast(first), upcast(rest)...).to(first.scalar_type());
}

}  // namespace goldentrace
