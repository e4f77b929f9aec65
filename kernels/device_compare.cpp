#include "kernels/device_compare.h"

#include <stdexcept>
#include <vector>

#include "kernels/compare_result.h"
#include "kernels/cuda_call.h"
#include "kernels/device_compare_kernels.h"
#include "kernels/device_fingerprint.h"

namespace goldentrace {
namespace {

void require_cuda() {
  if (const std::string reason = why_no_cuda(); !reason.empty()) throw Error(ErrorCode::unsupported, reason);
}

class DevicePasses : public PairPasses {
 public:
  explicit DevicePasses(cudaStream_t stream) : stream_(stream) {}

  PairPart elements(const PairView& pair, const PairScaling& scaling, std::uint64_t* histogram) override {
    const auto tiles = static_cast<std::size_t>(pair_tiles(pair));
    const DeviceMemory parts = new_device_memory((tiles + 1) * sizeof(PairPart));
    const DeviceMemory counts = new_device_memory(pair_histogram * sizeof *histogram);
    auto* first = static_cast<PairPart*>(parts.get());
    check_cuda(cudaMemsetAsync(counts.get(), 0, pair_histogram * sizeof *histogram, stream_), "cudaMemsetAsync");
    const PairLaunch launch{first, first + tiles, static_cast<unsigned long long*>(counts.get())};
    check_cuda(enqueue_elements(pair, scaling, launch, stream_), "compare");
    PairPart result;
    copy_back(histogram, counts.get(), pair_histogram * sizeof *histogram);
    copy_back(&result, launch.result, sizeof result);
    return result;
  }

  Largest rows(const PairView& pair, const PairScaling& scaling, const RowJob& job) override {
    std::vector<Largest> found(row_blocks(job));
    const DeviceMemory largest = new_device_memory(found.size() * sizeof(Largest));
    check_cuda(enqueue_rows(pair, scaling, job, static_cast<Largest*>(largest.get()), stream_), "compare rows");
    copy_back(found.data(), largest.get(), found.size() * sizeof(Largest));
    Largest worst;
    for (const Largest& one : found) worst.add(one);
    return worst;
  }

 private:
  void copy_back(void* to, const void* from, std::size_t bytes) const {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream_), "compare");
  }

  cudaStream_t stream_;
};

}  // namespace

Comparison compare_on_device(const TensorView& a, const TensorView& b, DeviceQueue queue,
                             const CompareOptions& options) {
  require_cuda();
  const CurrentDevice current(queue.device);
  DevicePasses passes(static_cast<cudaStream_t>(queue.stream));
  return compare_by_passes(a, b, options, passes);
}

void shuffle_on_device(const void* in, std::size_t bytes, std::size_t item_bytes, void* out, DeviceQueue queue) {
  require_cuda();
  if (item_bytes == 0) throw std::logic_error("shuffle: items of 0 bytes");
  if (bytes == 0) return;
  const CurrentDevice current(queue.device);
  const ShuffleJob job{static_cast<const unsigned char*>(in), static_cast<unsigned char*>(out), bytes, item_bytes};
  check_cuda(enqueue_shuffle(job, static_cast<cudaStream_t>(queue.stream)), "shuffle");
}

}  // namespace goldentrace
