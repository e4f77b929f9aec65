// The kernels around kernels/fingerprint_block.h and kernels/fingerprint_gather.h: nothing but barriers and indexes.
#include "kernels/device_kernels.h"
#include "kernels/fingerprint_block.h"

namespace goldentrace {
namespace {

// True where this pass has nothing to do: sums are taken again only of values far from one.
__device__ bool is_idle(const TensorResult* scale_of) {
  return scale_of != nullptr && !needs_scaling(scale_of->statistics);
}

template <typename Element>
__global__ void __launch_bounds__(block_threads) sum_segments(FingerprintLaunch launch, const TensorResult* scale_of) {
  if (is_idle(scale_of)) return;
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<SegmentMemory*>(shared);
  const std::size_t segment = blockIdx.x, m = scale_of == nullptr ? launch.sketch_size : 0;
  const Scaling scaling = scale_of == nullptr ? Scaling{} : Scaling::by(scaling_exponent(scale_of->statistics));
  const SegmentJob job{launch.tensor,
                       launch.bytes,
                       segment,
                       m,
                       scaling,
                       scale_of == nullptr ? launch.piece_hashes : nullptr,
                       launch.segments + segment,
                       launch.segment_sketches + segment * m};
  const SegmentWork<Element> work{job, memory};
  SegmentThread thread{threadIdx.x};
  work.start(thread);
  for (std::size_t piece = job.first_piece(); piece < job.end_piece(); ++piece) {
    work.load(thread, piece);
    __syncthreads();
    work.work(thread, piece);
    if (piece > job.first_piece()) work.finish(thread, piece - 1);
    __syncthreads();
    work.fold(thread, piece);
  }
  __syncthreads();
  work.finish(thread, job.end_piece() - 1);
  __syncthreads();
  work.publish(thread);
  __syncthreads();
  work.gather(thread);
  __syncthreads();
  work.write(thread);
}

__global__ void gather_spans(FingerprintLaunch launch, const TensorResult* scale_of) {
  if (is_idle(scale_of)) return;
  const std::size_t first = blockIdx.x * span_segments, left = segments_of(launch.bytes) - first;
  const std::size_t m = scale_of == nullptr ? launch.sketch_size : 0;
  const Parts parts{launch.segments + first, launch.segment_sketches + first * m,
                    left < span_segments ? left : span_segments, m};
  gather_parts(parts, threadIdx.x, blockDim.x, launch.spans[blockIdx.x], launch.span_sketches + blockIdx.x * m);
}

__device__ Parts last_parts(const FingerprintLaunch& launch, std::size_t m) {
  const std::size_t spans = spans_of(launch.bytes);
  if (spans == 1) return {launch.segments, launch.segment_sketches, segments_of(launch.bytes), m};
  return {launch.spans, launch.span_sketches, spans, m};
}

GOLDENTRACE_HD double value_of(DType real_dtype, const unsigned char* tensor, std::size_t index) {
  double value = 0;
  with_element(real_dtype, [&](auto element) {
    value = value_at<decltype(element)>(reinterpret_cast<const std::byte*>(tensor), index);
  });
  return value;
}

__device__ std::size_t element_bytes(DType real_dtype) {
  std::size_t size = 1;
  with_element(real_dtype, [&](auto element) { size = sizeof(typename decltype(element)::Bits); });
  return size;
}

__device__ void hash_digests(const FingerprintLaunch& launch, xxh3::SlabSums& sums) {
  const auto* digests = reinterpret_cast<const unsigned char*>(launch.piece_hashes);
  const std::size_t length = pieces_of(launch.bytes) * sizeof(xxh3::Hash);
  if (length <= xxh3::longest_short_input) {
    if (threadIdx.x == 0) launch.result->hash = xxh3::hash_short(digests, length);
    return;
  }
  for (std::size_t slab = 0; slab < xxh3::slab_count(length); ++slab) {
    xxh3::sum_slab({digests, length}, slab, threadIdx.x, sums);
    __syncthreads();
    if (threadIdx.x < xxh3::accumulators) xxh3::chain_slab({digests, length}, slab, threadIdx.x, sums);
    __syncthreads();
  }
  if (threadIdx.x == 0) launch.result->hash = xxh3::hash_of_accumulators(sums.accumulators, length);
}

__global__ void __launch_bounds__(block_threads) finish_tensor(FingerprintLaunch launch) {
  __shared__ xxh3::SlabSums sums;
  hash_digests(launch, sums);
  gather_parts(last_parts(launch, launch.sketch_size), threadIdx.x, block_threads, launch.result->statistics,
               launch.result_sketch);
  if (!launch.keep_whole) return;
  const std::size_t count = launch.bytes / element_bytes(launch.real_dtype);
  for (std::size_t i = threadIdx.x; i < count; i += block_threads) {
    launch.result_sketch[i] = value_of(launch.real_dtype, launch.tensor, i);
  }
}

__global__ void finish_scaled(FingerprintLaunch launch) {
  if (is_idle(launch.result)) return;
  gather_parts(last_parts(launch, 0), threadIdx.x, blockDim.x, launch.result->scaled, nullptr);
}

template <typename Element>
cudaError_t enqueue_segments(const FingerprintLaunch& launch, const TensorResult* scale_of, cudaStream_t stream) {
  const std::size_t shared = SegmentMemory::shared_bytes(sizeof(typename Element::Bits), launch.sketch_size);
  constexpr std::size_t allowed_without_asking = 48 * 1024;
  if (shared > allowed_without_asking) {
    const cudaError_t error = cudaFuncSetAttribute(sum_segments<Element>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                   static_cast<int>(shared));
    if (error != cudaSuccess) return error;
  }
  sum_segments<Element>
      <<<static_cast<unsigned>(segments_of(launch.bytes)), block_threads, shared, stream>>>(launch, scale_of);
  if (spans_of(launch.bytes) > 1) {
    gather_spans<<<static_cast<unsigned>(spans_of(launch.bytes)), block_threads, 0, stream>>>(launch, scale_of);
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t enqueue_fingerprint(const FingerprintLaunch& launch, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  if (launch.numeric) {
    with_element(launch.real_dtype,
                 [&](auto element) { error = enqueue_segments<decltype(element)>(launch, nullptr, stream); });
  } else {
    error = enqueue_segments<OpaqueElement>(launch, nullptr, stream);
  }
  if (error != cudaSuccess) return error;
  finish_tensor<<<1, block_threads, 0, stream>>>(launch);
  if (launch.numeric && launch.real_dtype == DType::float64) {
    error = enqueue_segments<PlainElement<double>>(launch, launch.result, stream);
    if (error != cudaSuccess) return error;
    finish_scaled<<<1, 32, 0, stream>>>(launch);
  }
  return cudaGetLastError();
}

}  // namespace goldentrace
