// CUDA calls that throw, and what CUDA hands out as owned objects. Only in builds with CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "traces/error.h"

namespace goldentrace {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // forget it, where CUDA can
  throw Error(ErrorCode::input_output, std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

// Makes `device` the calling thread's current one for the current scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
    check_cuda(cudaSetDevice(device), "cudaSetDevice");
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

// `release` is called with the handle unless that is null.
template <typename Handle, cudaError_t (*release)(Handle)>
class CudaOwned {
 public:
  CudaOwned() = default;
  explicit CudaOwned(Handle handle) : handle_(handle) {}
  CudaOwned(CudaOwned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CudaOwned& operator=(CudaOwned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~CudaOwned() {
    if (handle_ != nullptr) release(handle_);
  }

  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

using CudaStream = CudaOwned<cudaStream_t, cudaStreamDestroy>;
using CudaEvent = CudaOwned<cudaEvent_t, cudaEventDestroy>;
using CudaPool = CudaOwned<cudaMemPool_t, cudaMemPoolDestroy>;
using DeviceMemory = CudaOwned<void*, cudaFree>;
using PinnedMemory = CudaOwned<void*, cudaFreeHost>;

inline CudaStream new_stream() {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return CudaStream(stream);
}

inline CudaEvent new_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  return CudaEvent(event);
}

// For stream-ordered memory; keeps what is given back to it.
inline CudaPool new_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {.type = cudaMemLocationTypeDevice, .id = device};
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
  CudaPool owned(pool);
  std::uint64_t keep = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
  return owned;
}

inline DeviceMemory new_device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
  return DeviceMemory(memory);
}

inline PinnedMemory new_pinned_memory(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return PinnedMemory(memory);
}

}  // namespace goldentrace
