// kernels/device_*.h in a build without CUDA.
#include "kernels/device_compare.h"
#include "kernels/device_fingerprint.h"
#include "kernels/device_memory.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse() { throw Error(ErrorCode::unsupported, why_no_cuda()); }

}  // namespace

std::string why_no_cuda() { return "goldentrace was built without CUDA"; }

struct DeviceBatch::State {};
DeviceBatch::DeviceBatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceBatch::DeviceBatch(DeviceBatch&&) noexcept = default;
DeviceBatch& DeviceBatch::operator=(DeviceBatch&&) noexcept = default;
DeviceBatch::~DeviceBatch() = default;
std::vector<Fingerprint> DeviceBatch::wait() { refuse(); }

struct DeviceFingerprints::State {};
DeviceFingerprints::DeviceFingerprints(int, FingerprintOptions) { refuse(); }
DeviceFingerprints::~DeviceFingerprints() = default;
std::size_t DeviceFingerprints::launch(const DeviceTensor&, void*) { refuse(); }
DeviceBatch DeviceFingerprints::finish() { refuse(); }

Comparison compare_on_device(const TensorView&, const TensorView&, DeviceQueue, const CompareOptions&) { refuse(); }
void shuffle_on_device(const void*, std::size_t, std::size_t, void*, DeviceQueue) { refuse(); }

DeviceBytes::DeviceBytes(int device, std::size_t size) : device_(device), size_(size) { refuse(); }
DeviceBytes::DeviceBytes(int device, std::span<const std::byte> contents) : DeviceBytes(device, contents.size()) {}
DeviceBytes::~DeviceBytes() = default;
std::vector<std::byte> DeviceBytes::read() const { refuse(); }

DeviceStream::DeviceStream(int device) : device_(device) { refuse(); }
DeviceStream::~DeviceStream() = default;
void DeviceStream::wait() const { refuse(); }

void copy_on_device(std::byte*, const std::byte*, std::size_t, const DeviceStream&) { refuse(); }
DeviceFacts device_facts(int) { refuse(); }

}  // namespace goldentrace
