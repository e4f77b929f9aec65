// From the sums of segments to the result of a tensor: what a CUDA kernel does between its barriers, and what the walk
// on the host does thread by thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/element.h"
#include "kernels/fingerprint_order.h"
#include "kernels/host_device.h"
#include "kernels/xxh3_block.h"

namespace goldentrace {

// What comes back for each tensor; the sums of the sketch follow it in memory.
struct TensorResult {
  xxh3::Hash hash;
  PartialStatistics statistics;
  PartialStatistics scaled;  // only its sums, and only where needs_scaling(statistics)
};

// Parts that lie one behind the other: statistics and, per part, `sketch_size` sums.
struct Parts {
  const PartialStatistics* statistics;
  const double* sketches;
  std::size_t count;
  std::size_t sketch_size;
};

GOLDENTRACE_HD PartialStatistics statistics_of(const Parts& parts) {
  PartialStatistics total;
  for (std::size_t i = 0; i < parts.count; ++i) add(total, parts.statistics[i]);
  return total;
}

GOLDENTRACE_HD double bucket_of(const Parts& parts, std::size_t bucket) {
  double sum = 0;
  for (std::size_t i = 0; i < parts.count; ++i) sum += parts.sketches[i * parts.sketch_size + bucket];
  return sum;
}

// One thread of one block; `result` and `sketch` are the whole's.
GOLDENTRACE_HD void gather_parts(const Parts& parts, std::size_t thread, std::size_t threads, PartialStatistics& result,
                                 double* sketch) {
  for (std::size_t i = thread; i < parts.sketch_size; i += threads) sketch[i] = bucket_of(parts, i);
  if (thread == 0) result = statistics_of(parts);
}

GOLDENTRACE_HD std::size_t pieces_of(std::size_t bytes) { return (bytes + order_piece_bytes - 1) / order_piece_bytes; }
GOLDENTRACE_HD std::size_t segments_of(std::size_t bytes) { return (bytes + segment_bytes - 1) / segment_bytes; }
GOLDENTRACE_HD std::size_t spans_of(std::size_t bytes) { return (bytes + span_bytes - 1) / span_bytes; }

}  // namespace goldentrace
