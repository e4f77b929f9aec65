#include "kernels/device_fingerprint.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "kernels/cuda_call.h"
#include "kernels/device_kernels.h"
#include "kernels/element.h"
#include "kernels/fingerprint_result.h"
#include "kernels/result_slabs.h"

namespace goldentrace {
namespace {

struct Launched {
  std::size_t bytes;
  DType dtype;
};

// Where the result of a launch lies, on one of both sides.
struct Slot {
  TensorResult* result;
  double* sketch;
};

Slot slot_at(void* slab, std::size_t slot_bytes, std::size_t number) {
  std::byte* start = static_cast<std::byte*>(slab) + number % ResultSlabs::slots * slot_bytes;
  return {reinterpret_cast<TensorResult*>(start), reinterpret_cast<double*>(start + sizeof(TensorResult))};
}

Fingerprint read_slot(const Slot& slot, const Launched& launched, const FingerprintOptions& options) {
  Fingerprint result{.hash = to_hash128(slot.result->hash)};
  if (!is_numeric(launched.dtype)) return result;
  result.statistics = final_statistics(slot.result->statistics, slot.result->scaled);
  const bool whole = is_kept_whole(launched.bytes, launched.dtype, options);
  const std::size_t size = whole ? launched.bytes / item_size(component_dtype(launched.dtype)) : options.sketch_size;
  result.sketch.assign(slot.sketch, slot.sketch + size);
  return result;
}

// Stream-ordered memory of one launch.
class Scratch {
 public:
  Scratch(const Launched& launched, std::size_t m, cudaMemPool_t pool, cudaStream_t stream) : stream_(stream) {
    const std::size_t pieces = pieces_of(launched.bytes), segments = segments_of(launched.bytes),
                      spans = spans_of(launched.bytes);
    const std::size_t bytes =
        pieces * sizeof(xxh3::Hash) + (segments + spans) * (sizeof(PartialStatistics) + m * sizeof(double));
    check_cuda(cudaMallocFromPoolAsync(&memory_, bytes, pool, stream), "cudaMallocFromPoolAsync");
    free_ = static_cast<std::byte*>(memory_);
  }
  ~Scratch() { cudaFreeAsync(memory_, stream_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <typename T>
  T* take(std::size_t count) {
    T* start = reinterpret_cast<T*>(free_);
    free_ += count * sizeof(T);
    return start;
  }

 private:
  cudaStream_t stream_;
  void* memory_ = nullptr;
  std::byte* free_;
};

void enqueue(const DeviceTensor& tensor, const FingerprintOptions& options, const Slot& slot, cudaMemPool_t pool,
             cudaStream_t stream) {
  const bool numeric = is_numeric(tensor.dtype), whole = is_kept_whole(tensor.bytes, tensor.dtype, options);
  const std::size_t m = numeric && !whole ? options.sketch_size : 0;
  const std::size_t segments = segments_of(tensor.bytes), spans = spans_of(tensor.bytes);
  Scratch scratch({tensor.bytes, tensor.dtype}, m, pool, stream);
  const FingerprintLaunch launch{.tensor = static_cast<const unsigned char*>(tensor.data),
                                 .bytes = tensor.bytes,
                                 .real_dtype = component_dtype(tensor.dtype),
                                 .numeric = numeric,
                                 .sketch_size = m,
                                 .keep_whole = whole,
                                 .piece_hashes = scratch.take<xxh3::Hash>(pieces_of(tensor.bytes)),
                                 .segments = scratch.take<PartialStatistics>(segments),
                                 .segment_sketches = scratch.take<double>(segments * m),
                                 .spans = scratch.take<PartialStatistics>(spans),
                                 .span_sketches = scratch.take<double>(spans * m),
                                 .result = slot.result,
                                 .result_sketch = slot.sketch};
  check_cuda(enqueue_fingerprint(launch, stream), "fingerprint");
}

}  // namespace

std::string why_no_cuda() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return {};
  cudaGetLastError();
  if (error == cudaSuccess || error == cudaErrorNoDevice) return "no CUDA device";
  return std::string("no CUDA device: ") + cudaGetErrorString(error);
}

struct DeviceBatch::State {
  int device;
  FingerprintOptions options;
  std::shared_ptr<ResultSlabs> slabs;
  std::vector<ResultSlab> used;
  std::vector<Launched> launched;
  CudaEvent copied;

  std::vector<Fingerprint> wait();
  void give_back();
};

std::vector<Fingerprint> DeviceBatch::State::wait() {
  check_cuda(cudaEventSynchronize(copied.get()), "waiting for fingerprints");
  std::vector<Fingerprint> results;
  results.reserve(launched.size());
  for (std::size_t i = 0; i < launched.size(); ++i) {
    if (launched[i].bytes == 0) {
      results.push_back(fingerprint({}, launched[i].dtype, options));
      continue;
    }
    const Slot slot = slot_at(used[i / ResultSlabs::slots].host.get(), slabs->slot_bytes(), i);
    results.push_back(read_slot(slot, launched[i], options));
  }
  return results;
}

void DeviceBatch::State::give_back() {
  for (ResultSlab& slab : used) slabs->give_back(std::move(slab));
  used.clear();
}

DeviceBatch::DeviceBatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceBatch::DeviceBatch(DeviceBatch&&) noexcept = default;
DeviceBatch& DeviceBatch::operator=(DeviceBatch&&) noexcept = default;
DeviceBatch::~DeviceBatch() {
  if (state_ == nullptr) return;
  cudaEventSynchronize(state_->copied.get());
  state_->give_back();
}

std::vector<Fingerprint> DeviceBatch::wait() {
  if (state_ == nullptr) throw std::logic_error("DeviceBatch: waited for already");
  const std::unique_ptr<State> state = std::move(state_);
  std::vector<Fingerprint> results = state->wait();
  state->give_back();
  return results;
}

struct DeviceFingerprints::State {
  int device;
  FingerprintOptions options;
  CudaStream copying;
  CudaPool scratch;
  std::shared_ptr<ResultSlabs> slabs;
  std::vector<ResultSlab> used;
  std::vector<Launched> launched;
  std::vector<cudaStream_t> streams;

  Slot next_slot() {
    if (launched.size() == used.size() * ResultSlabs::slots) used.push_back(slabs->take());
    return slot_at(used.back().device.get(), slabs->slot_bytes(), launched.size());
  }
  void join_streams() const;
  void copy_back() const;
};

DeviceFingerprints::DeviceFingerprints(int device, FingerprintOptions options) {
  if (options.sketch_size > max_device_sketch_size)
    throw std::logic_error("fingerprint: too many buckets for a device");
  if (const std::string reason = why_no_cuda(); !reason.empty()) throw Error(ErrorCode::unsupported, reason);
  const CurrentDevice current(device);
  state_.reset(new State{.device = device,
                         .options = options,
                         .copying = new_stream(),
                         .scratch = new_pool(device),
                         .slabs = std::make_shared<ResultSlabs>(options.sketch_size)});
}

DeviceFingerprints::~DeviceFingerprints() {
  if (state_->used.empty()) return;
  cudaSetDevice(state_->device);
  cudaDeviceSynchronize();  // kernels may still write to the slabs
}

std::size_t DeviceFingerprints::launch(const DeviceTensor& tensor, void* stream) {
  check_fingerprint(tensor.bytes, tensor.dtype, state_->options);
  const CurrentDevice current(state_->device);
  const auto on = static_cast<cudaStream_t>(stream);
  const Slot slot = state_->next_slot();
  if (tensor.bytes > 0) {
    enqueue(tensor, state_->options, slot, state_->scratch.get(), on);
    if (std::ranges::find(state_->streams, on) == state_->streams.end()) state_->streams.push_back(on);
  }
  state_->launched.push_back({tensor.bytes, tensor.dtype});
  return state_->launched.size() - 1;
}

void DeviceFingerprints::State::join_streams() const {
  for (const cudaStream_t stream : streams) {
    const CudaEvent reached = new_event();
    check_cuda(cudaEventRecord(reached.get(), stream), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(copying.get(), reached.get(), 0), "cudaStreamWaitEvent");
  }
}

void DeviceFingerprints::State::copy_back() const {
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::size_t count = std::min(ResultSlabs::slots, launched.size() - i * ResultSlabs::slots);
    check_cuda(cudaMemcpyAsync(used[i].host.get(), used[i].device.get(), count * slabs->slot_bytes(),
                               cudaMemcpyDeviceToHost, copying.get()),
               "cudaMemcpyAsync");
  }
}

DeviceBatch DeviceFingerprints::finish() {
  const CurrentDevice current(state_->device);
  state_->join_streams();
  state_->copy_back();
  CudaEvent copied = new_event();
  check_cuda(cudaEventRecord(copied.get(), state_->copying.get()), "cudaEventRecord");
  std::unique_ptr<DeviceBatch::State> batch(new DeviceBatch::State{.device = state_->device,
                                                                   .options = state_->options,
                                                                   .slabs = state_->slabs,
                                                                   .used = std::exchange(state_->used, {}),
                                                                   .launched = std::exchange(state_->launched, {}),
                                                                   .copied = std::move(copied)});
  state_->streams.clear();
  return DeviceBatch(std::move(batch));
}

}  // namespace goldentrace
