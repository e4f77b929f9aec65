// Memory and streams of a CUDA device, for programs that use no CUDA header: tests and benchmarks. Error as
// DeviceFingerprints.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace goldentrace {

// Owns `size` bytes of device memory, aligned to 256. Any thread.
class DeviceBytes {
 public:
  DeviceBytes(int device, std::size_t size);
  DeviceBytes(int device, std::span<const std::byte> contents);
  ~DeviceBytes();
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  std::byte* data() const { return data_; }  // not to be read by the host
  std::size_t size() const { return size_; }
  std::span<const std::byte> span() const { return {data_, size_}; }
  std::vector<std::byte> read() const;  // waits for the whole device

 private:
  int device_;
  std::size_t size_;
  std::byte* data_ = nullptr;
};

class DeviceStream {
 public:
  explicit DeviceStream(int device);
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  void* get() const { return stream_; }  // a cudaStream_t
  void wait() const;

 private:
  int device_;
  void* stream_ = nullptr;
};

// Enqueues a copy from device to device; the yardstick of benchmarks.
void copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes, const DeviceStream& stream);

struct DeviceFacts {
  char name[256];
  int compute_capability;  // 90 for 9.0
  std::size_t memory_bytes;
};
DeviceFacts device_facts(int device);

}  // namespace goldentrace
