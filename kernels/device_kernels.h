// The CUDA kernels as plain functions that enqueue them. C++17 for nvcc; only in builds with CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/fingerprint_gather.h"
#include "traces/dtype.h"

namespace goldentrace {

// Device pointers. `segments`, `spans`: one each per segment and span of the tensor; sketches: sketch_size sums each.
struct FingerprintLaunch {
  const unsigned char* tensor;
  std::size_t bytes;        // not 0
  DType real_dtype;         // float8: hashed only
  bool numeric;             // false: hashed only
  std::size_t sketch_size;  // 0: none
  bool keep_whole;          // the elements themselves are the sketch
  xxh3::Hash* piece_hashes;
  PartialStatistics* segments;
  double* segment_sketches;
  PartialStatistics* spans;
  double* span_sketches;
  TensorResult* result;
  double* result_sketch;
};

// Two to six kernels, no synchronisation. Returns CUDA's own error.
cudaError_t enqueue_fingerprint(const FingerprintLaunch& launch, cudaStream_t stream);

}  // namespace goldentrace
