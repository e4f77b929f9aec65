// The elements of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tape/external.h"
#include "traces/trace_reader.h"

namespace goldentrace {

struct RecordedContent {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<std::byte> bytes;  // contiguous, row-major

  ExternalContent view() const { return {dtype, shape, bytes}; }
};

// From the payload, or from a sketch that holds a small tensor whole and whose bytes have the recorded hash. Empty when
// the trace has neither.
std::optional<RecordedContent> content_of(const TraceReader& trace, std::int64_t row);

// Error(incomparable) naming the record and what to do when there is none.
RecordedContent needed_content(const TraceReader& trace, std::int64_t row);

// Every floating or complex element x becomes x (1 + epsilon u), u in [-1, 1] fixed by the element's index and `salt`,
// rounded to the dtype. Others stay.
RecordedContent perturbed(RecordedContent content, double epsilon, std::uint64_t salt);

}  // namespace goldentrace
