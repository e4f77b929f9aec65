// A recorded run of the Megatron shape as tensor-parallel ranks would have recorded it, cut by hand.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/diff/memory_trace.h"
#include "traces/trace_reader.h"

namespace goldentrace::cases {

struct SplitOptions {
  std::int64_t ranks = 2;
  std::int64_t heads = 2;
  bool gated = false;                          // dense_h_to_4h holds gates and values
  std::int64_t data = 0;                       // index of these ranks among the data-parallel ones
  std::function<bool(const RecordId&)> takes;  // empty: every record
};

// Adds them rank by rank, with the row-parallel products of every rank in front of labels `….all_reduce`. Products of
// the ranks are halves of the whole ones and so on, so that their sum is exact.
void split_over_ranks(const TraceReader& whole, const SplitOptions& options, testing::MemoryTrace& trace);

}  // namespace goldentrace::cases
