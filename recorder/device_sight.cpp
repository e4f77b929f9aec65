#include "recorder/device_sight.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace goldentrace {
namespace {

using c10::impl::VirtualGuardImpl;

bool has_kernels() {
  static const bool has = why_no_cuda().empty();
  return has;
}

}  // namespace

bool DeviceSight::reads(const at::Tensor& tensor, std::size_t sketch_size) const {
  return tensor.is_cuda() && tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg() && tensor.numel() > 0 &&
         sketch_size <= max_device_sketch_size && has_kernels();
}

Fingerprint DeviceSight::fingerprint(const at::Tensor& tensor, DType dtype, std::size_t sketch_size) {
  const int device = tensor.device().index();
  auto& fingerprints = fingerprints_[{device, sketch_size}];
  if (!fingerprints) fingerprints = std::make_unique<DeviceFingerprints>(device, FingerprintOptions{sketch_size});
  const c10::Stream stream = VirtualGuardImpl(tensor.device().type()).getStream(tensor.device());
  fingerprints->launch({tensor.const_data_ptr(), tensor.nbytes(), dtype}, stream.native_handle());
  return fingerprints->collect().front();
}

ComingBytes DeviceSight::copy(const at::Tensor& tensor) {
  const at::DisableRecordFunctionGuard unseen;
  const at::NoGradGuard no_grad;
  const VirtualGuardImpl device(tensor.device().type());
  const c10::Stream maker = device.getStream(tensor.device());
  const c10::Stream side = device.getStreamFromGlobalPool(tensor.device());
  at::Tensor host = at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(true));
  c10::Event made(device.type());
  made.record(maker);
  made.block(side);
  {
    const c10::StreamGuard guard(side);
    host.copy_(tensor, /*non_blocking=*/true);
  }
  device.recordDataPtrOnStream(tensor.storage().data_ptr(), side);
  const auto arrived = std::make_shared<c10::Event>(device.type());
  arrived->record(side);
  arrived->block(maker);
  const auto* bytes = static_cast<const std::byte*>(host.const_data_ptr());
  return {{bytes, [host](const std::byte*) {}}, [arrived] { arrived->synchronize(); }};
}

}  // namespace goldentrace
