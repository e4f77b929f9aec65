// What a diff reads of one trace, so that tests can make one up in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "traces/header.h"
#include "traces/layer_call.h"
#include "traces/record.h"
#include "traces/tape.h"

namespace goldentrace {

class TraceReader;
class LogicalView;

// Refers to data that someone else owns and that outlives the view. The functions may be called from several threads
// and take row numbers (payload, sketch), tape numbers and blob numbers of that trace.
struct TraceView {
  std::filesystem::path path;
  const Header* header = nullptr;
  std::span<const Record> records;
  std::span<const LayerCall> calls;
  std::function<bool(std::int64_t)> has_payload;
  std::function<Sketch(std::int64_t)> sketch;
  // Into memory that is used again.
  std::function<void(std::int64_t, std::vector<std::byte>&)> read_payload;
  std::function<Tape(std::int64_t)> tape;
  std::function<std::vector<std::byte>(std::int64_t)> blob;
  // The rows are logical tensors that a relation made of recorded ones (diff/relation/logical_view.h); null: they are
  // the recorded ones.
  const LogicalView* logical = nullptr;

  std::vector<std::byte> payload(std::int64_t row) const {
    std::vector<std::byte> bytes;
    read_payload(row, bytes);
    return bytes;
  }
};

// The reader must outlive the view.
TraceView view(const TraceReader& reader);

}  // namespace goldentrace
