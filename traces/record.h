// One tensor or scalar of a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/dtype.h"
#include "traces/fingerprint.h"
#include "traces/record_id.h"

namespace goldentrace {

using Shape = std::vector<std::int64_t>;

// Product of the sizes; 1 for a 0-dim tensor. Error(damaged) on negative sizes or overflow.
std::int64_t element_count(const Shape& shape);
std::int64_t byte_count(const Shape& shape, DType dtype);

struct Record {
  RecordId id;

  // Order of first use among the records of the same (step, micro, rank, pass, layer, call, role). Alignment of two
  // traces goes by position; id.index is the name for people.
  std::int32_t position = 0;

  DType dtype = DType::float32;
  Shape shape;

  // Rows of the records that this value was computed from: for an input the output it is; for an output the inputs,
  // parameters and buffers of the layer that its ops read; for gradients the gradients and values they came from.
  std::vector<std::int64_t> producers;

  // No recorded op made this tensor and it is neither parameter nor buffer: a model input.
  bool external = false;
  // Declared by the trainer as a model input (Recorder::input); belongs to no layer's tape.
  bool declared = false;
  // The payload was dropped because the buffer pool was full (policy `sketch`).
  bool dropped = false;

  Fingerprint fingerprint;
};

}  // namespace goldentrace
