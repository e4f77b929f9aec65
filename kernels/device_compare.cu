// The kernels around kernels/pair_block.h and kernels/shuffle_byte.h: nothing but barriers and indexes.
#include "kernels/device_compare_kernels.h"

namespace goldentrace {
namespace {

__global__ void __launch_bounds__(pair_threads)
    visit_tiles(PairView pair, PairScaling scaling, PairPart* parts, unsigned long long* histogram) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<PairMemory*>(shared);
  if (threadIdx.x < pair_histogram) memory.histogram[threadIdx.x] = 0;
  __syncthreads();
  visit_tile(pair, scaling, blockIdx.x, threadIdx.x, memory);
  __syncthreads();
  if (threadIdx.x == 0) parts[blockIdx.x] = folded(memory);
  if (threadIdx.x < pair_histogram && memory.histogram[threadIdx.x] > 0) {
    atomicAdd(histogram + threadIdx.x, memory.histogram[threadIdx.x]);
  }
}

__global__ void __launch_bounds__(pair_threads)
    gather_parts_of(const PairPart* parts, std::size_t count, PairPart* result) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<PairMemory*>(shared);
  gather_tiles(parts, count, threadIdx.x, memory);
  __syncthreads();
  if (threadIdx.x == 0) *result = folded(memory);
}

__device__ void judge_shared_rows(const PairView& pair, const PairScaling& scaling, const RowJob& job,
                                  RowMemory& memory, Largest& worst) {
  for (std::int64_t row = blockIdx.x; row < job.rows; row += gridDim.x) {
    memory.sums[threadIdx.x] = row_share(pair, scaling, job, row, threadIdx.x, pair_threads);
    __syncthreads();
    if (threadIdx.x == 0) judge_row(folded_row(memory), job, row, worst);
    __syncthreads();
  }
}

__global__ void __launch_bounds__(pair_threads)
    judge_rows(PairView pair, PairScaling scaling, RowJob job, Largest* largest) {
  __shared__ alignas(16) unsigned char shared[sizeof(RowMemory)];
  auto& memory = *reinterpret_cast<RowMemory*>(shared);
  Largest worst;
  if (shares_rows(job)) {
    judge_shared_rows(pair, scaling, job, memory, worst);
  } else {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * pair_threads;
    for (std::int64_t row = blockIdx.x * std::int64_t{pair_threads} + threadIdx.x; row < job.rows; row += stride) {
      judge_row(row_share(pair, scaling, job, row, 0, 1), job, row, worst);
    }
  }
  memory.largest[threadIdx.x] = worst;
  __syncthreads();
  if (threadIdx.x == 0) largest[blockIdx.x] = folded_rows(memory);
}

__global__ void shuffle_bytes(ShuffleJob job) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < job.bytes; i += stride) {
    shuffle_byte(job, i);
  }
}

}  // namespace

cudaError_t enqueue_elements(const PairView& pair, const PairScaling& scaling, const PairLaunch& launch,
                             cudaStream_t stream) {
  const auto tiles = static_cast<unsigned>(pair_tiles(pair));
  visit_tiles<<<tiles, pair_threads, sizeof(PairMemory), stream>>>(pair, scaling, launch.tiles, launch.histogram);
  gather_parts_of<<<1, pair_threads, sizeof(PairMemory), stream>>>(launch.tiles, tiles, launch.result);
  return cudaGetLastError();
}

cudaError_t enqueue_rows(const PairView& pair, const PairScaling& scaling, const RowJob& job, Largest* largest,
                         cudaStream_t stream) {
  judge_rows<<<row_blocks(job), pair_threads, 0, stream>>>(pair, scaling, job, largest);
  return cudaGetLastError();
}

cudaError_t enqueue_shuffle(const ShuffleJob& job, cudaStream_t stream) {
  const std::size_t blocks = (job.bytes + 1023) / 1024;
  shuffle_bytes<<<static_cast<unsigned>(blocks < 65536 ? blocks : 65536), 256, 0, stream>>>(job);
  return cudaGetLastError();
}

}  // namespace goldentrace
