// The CUDA kernels of comparison and shuffle as plain functions that enqueue them. C++17 for nvcc; only in builds with
// CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/pair_block.h"
#include "kernels/shuffle_byte.h"

namespace goldentrace {

// Device pointers.
struct PairLaunch {
  PairPart* tiles;                // pair_tiles() of them
  PairPart* result;               // one
  unsigned long long* histogram;  // pair_histogram zeros
};

GOLDENTRACE_HD std::int64_t pair_tiles(const PairView& pair) { return (pair.elements + pair_tile - 1) / pair_tile; }

GOLDENTRACE_HD unsigned row_blocks(const RowJob& job) {
  return job.rows < static_cast<std::int64_t>(most_row_blocks) ? static_cast<unsigned>(job.rows) : most_row_blocks;
}

cudaError_t enqueue_elements(const PairView& pair, const PairScaling& scaling, const PairLaunch& launch,
                             cudaStream_t stream);

// `largest`: row_blocks() of them.
cudaError_t enqueue_rows(const PairView& pair, const PairScaling& scaling, const RowJob& job, Largest* largest,
                         cudaStream_t stream);

cudaError_t enqueue_shuffle(const ShuffleJob& job, cudaStream_t stream);

}  // namespace goldentrace
