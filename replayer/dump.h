// Writes what a replay computed as a trace again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "replayer/call_table.h"
#include "replayer/layer_run.h"
#include "traces/trace_reader.h"
#include "traces/trace_writer.h"

namespace goldentrace {

// Records keep the ids, order and producers of `source`, the trace that the inputs came from; they hold what went into
// the replay and what came out of it. Records that no replayed layer has are left out. Calls are added in trace order;
// memory holds those of one micro-batch.
class Dump {
 public:
  // `header`: pairs to add to those of the source.
  Dump(const std::filesystem::path& path, const TraceReader& source, const Header& extra);

  void add(const CallSource& source, const Tape& tape, const LayerRun& run);
  void close();

 private:
  void flush();
  void write(std::int64_t row, const at::Tensor& tensor);

  const TraceReader& source_;
  TraceWriter writer_;
  std::map<std::int64_t, at::Tensor> pending_;         // by row of the source
  std::map<std::int64_t, std::int64_t> rows_;          // row of the source -> row of the dump
  std::pair<std::int64_t, std::int64_t> micro_{0, 0};  // step and micro of what is pending
};

}  // namespace goldentrace
