#include "kernels/device_memory.h"

#include <cstdio>

#include "kernels/cuda_call.h"

namespace goldentrace {

DeviceBytes::DeviceBytes(int device, std::size_t size) : device_(device), size_(size) {
  const CurrentDevice current(device);
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, size > 0 ? size : 1), "cudaMalloc");
  data_ = static_cast<std::byte*>(memory);
}

DeviceBytes::DeviceBytes(int device, std::span<const std::byte> contents) : DeviceBytes(device, contents.size()) {
  const CurrentDevice current(device);
  check_cuda(cudaMemcpy(data_, contents.data(), size_, cudaMemcpyHostToDevice), "cudaMemcpy");
}

DeviceBytes::~DeviceBytes() { cudaFree(data_); }

std::vector<std::byte> DeviceBytes::read() const {
  const CurrentDevice current(device_);
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<std::byte> contents(size_);
  check_cuda(cudaMemcpy(contents.data(), data_, size_, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return contents;
}

DeviceStream::DeviceStream(int device) : device_(device) {
  const CurrentDevice current(device);
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  stream_ = stream;
}

DeviceStream::~DeviceStream() { cudaStreamDestroy(static_cast<cudaStream_t>(stream_)); }

void DeviceStream::wait() const {
  check_cuda(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_)), "cudaStreamSynchronize");
}

void copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes, const DeviceStream& stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream.get())),
             "cudaMemcpyAsync");
}

DeviceFacts device_facts(int device) {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  DeviceFacts facts{.compute_capability = 10 * properties.major + properties.minor,
                    .memory_bytes = properties.totalGlobalMem};
  std::snprintf(facts.name, sizeof facts.name, "%s", properties.name);
  return facts;
}

}  // namespace goldentrace
