// Traces of small layers, written with TraceWriter alone: no recorder is involved.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "traces/trace_writer.h"

namespace goldentrace {

using LayerFunction = std::function<std::vector<at::Tensor>()>;

enum class Payload { all, none };

struct CallOptions {
  std::int64_t step = 0, micro = 0;
  std::int32_t call = 0;
  Pass pass = Pass::forward;
  Payload payload = Payload::all;
  bool backward = true;  // gradients of random totals
  // Changes what is written for a record after it was computed.
  std::function<void(const RecordId& id, at::Tensor& value)> alter;
  std::function<void(Tape& tape)> alter_tape;
  std::function<bool(const RecordId& id)> keep_payload;  // empty: all, as `payload` says
};

// Runs the layer, tapes it, and writes call, tape, random state and all its records.
void add_call(TraceWriter& writer, const std::string& layer, const LayerFunction& function, CallOptions options = {});

}  // namespace goldentrace
