// kernels/device_*.h in a build without CUDA.
#include "kernels/device_fingerprint.h"
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

}  // namespace goldentrace
