// Judges what a replay computed against a record.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "diff/gate.h"
#include "replayer/report.h"
#include "traces/trace_reader.h"

namespace goldentrace {

// By hash first, then by payload, then by sketch. An undefined tensor differs from every record but None.
ReplayedTensor judge_replayed(const TraceReader& trace, std::int64_t row, const at::Tensor& replayed, const Gate& gate);

// The same bits by hash; reads no payload.
bool has_recorded_hash(const Record& record, const at::Tensor& replayed);

// The worse of two: unsupported, differs, within, bit_equal.
ReplayVerdict worse(ReplayVerdict a, ReplayVerdict b);

}  // namespace goldentrace
