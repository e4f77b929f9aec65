// What a trace seen through a relation says about its rows, beyond TraceView: each is a logical tensor that a form made
// of recorded ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

struct RecordedTensor {
  Record record;
  Sketch sketch;
};

class LogicalView {
 public:
  virtual ~LogicalView() = default;

  // The first recorded tensor of the row, under its own name.
  virtual const Record& recorded(std::int64_t row) const = 0;
  // Another content than the recorded one: hash, and the sketch unless the form is linear, say nothing about it.
  virtual bool is_transformed(std::int64_t row) const = 0;
  // "transpose(0, 1)", "sum(micro) of 8 records"; empty where the record stands as it is.
  virtual std::string form(std::int64_t row) const = 0;
  // Why the form does not fit the tensor; empty where it does. Such a pair is a difference of shape.
  virtual std::string misfit(std::int64_t row) const = 0;
  // All recorded tensors of the row.
  virtual std::vector<RecordedTensor> sources(std::int64_t row) const = 0;
  // The recorded tensor that this element of the row comes from, where there are several and none was added to it.
  virtual std::optional<RecordId> source_at(std::int64_t row, std::int64_t element) const = 0;
  // What logical content would have been recorded as, tensor by tensor, where the form can be undone.
  virtual std::optional<std::vector<std::vector<std::byte>>> as_recorded(
      std::int64_t row, const std::vector<std::byte>& logical) const = 0;
};

}  // namespace goldentrace
