// Fingerprints of tensors that lie in CUDA memory, taken there: only the results come back, in one small copy.
// No CUDA header is needed. In a build without CUDA the same header says so at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels/fingerprint.h"
#include "traces/dtype.h"
#include "traces/fingerprint.h"

namespace goldentrace {

// Empty where this build and this machine can run CUDA kernels; else the reason: "goldentrace was built without CUDA",
// "no CUDA device", or what the driver says.
std::string why_no_cuda();

// Larger sketches are taken on the CPU.
inline constexpr std::size_t max_device_sketch_size = 4096;

struct DeviceTensor {
  const void* data = nullptr;  // device memory: contiguous row-major elements, unaligned allowed; null when empty
  std::size_t bytes = 0;       // a multiple of the item size (else std::logic_error)
  DType dtype = DType::float32;
};

// The results of one step on their way to the host. Any thread, one at a time. It may outlive its DeviceFingerprints.
// Destroying it unwaited waits.
class DeviceBatch {
 public:
  DeviceBatch(DeviceBatch&&) noexcept;
  DeviceBatch& operator=(DeviceBatch&&) noexcept;
  ~DeviceBatch();

  // Blocks until the kernels and the copy are done. In order of launch; the same bits as fingerprint() of kernels/
  // fingerprint.h on the same bytes. Once only.
  std::vector<Fingerprint> wait();

 private:
  friend class DeviceFingerprints;
  struct State;
  explicit DeviceBatch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Collects the fingerprints of one step of one device. One thread at a time; every call leaves the calling thread's
// current device as it found it. Device memory: sketch_size * 8 + 128 bytes per tensor of a step, kept for the next
// one, and while a kernel runs about 1/28 of its tensor.
//
// Failures of CUDA throw Error: unsupported where why_no_cuda() is not empty, else input_output with what CUDA says.
// CUDA reports failures of kernels late: wait() may throw what an earlier launch, here or elsewhere, did wrong.
class DeviceFingerprints {
 public:
  // device: the CUDA ordinal (torch's index). std::logic_error when the sketch is larger than max_device_sketch_size.
  explicit DeviceFingerprints(int device, FingerprintOptions options = {});
  ~DeviceFingerprints();
  DeviceFingerprints(const DeviceFingerprints&) = delete;
  DeviceFingerprints& operator=(const DeviceFingerprints&) = delete;

  // Enqueues the kernels on `stream` (a cudaStream_t; null: the default stream) and returns at once. Returns the
  // tensor's place in the next batch. The memory must hold the tensor until the stream has come this far: a
  // stream-ordered allocator, like torch's on the tensor's own stream, may have it back right after this call. The
  // stream itself must live until finish() was called.
  std::size_t launch(const DeviceTensor& tensor, void* stream);

  // Enqueues the copy of everything launched since the last finish(), behind the streams used, and returns at once.
  DeviceBatch finish();

  std::vector<Fingerprint> collect() { return finish().wait(); }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
