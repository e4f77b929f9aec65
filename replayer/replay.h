// Runs layers of a trace again from the file alone and compares with what was recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "diff/gate.h"
#include "replayer/report.h"
#include "traces/dtype.h"
#include "traces/record_id.h"
#include "traces/trace_reader.h"

namespace goldentrace {

struct ReplayOptions {
  std::string layer;  // one label; empty: every labelled layer
  std::optional<std::int64_t> step, micro;
  std::optional<std::int32_t> rank, call;
  // forward, recompute: only these calls, outputs only. backward: only gradients. Empty: everything.
  std::optional<Pass> pass;

  DType dtype = DType::none;  // none: as recorded
  std::string device;         // "cpu", "cuda:0"; empty: CPU
  // Inputs, parameters, random state and the records that outputs are judged against come from here instead.
  const TraceReader* inputs = nullptr;
  const TraceReader* tape_from = nullptr;  // the tapes come from here instead
  double perturb = 0;          // inputs x become x (1 + perturb u), u in [-1, 1] fixed by the element's index
  std::optional<Gate> gate;    // empty: bitwise, or rel where anything was changed
  std::filesystem::path dump;  // writes what was computed as a trace; empty: not
  std::function<void(std::size_t done, std::size_t total)> progress;  // in calls
};

// Differences and what cannot be run are values in the report. Errors: not_found (layer with the closest names, step,
// micro, rank, call); unsupported when the one layer asked for cannot be run at all: "cannot replay: no inputs", no payload,
// no tape; usage; and what the readers throw. Runs on the calling thread with the recording's thread count and
// switches (deterministic, matmul precision), which are put back afterwards. Bounded memory: one call at a time (with
// dump: one micro-batch).
ReplayReport replay(const TraceReader& trace, const ReplayOptions& options);

}  // namespace goldentrace
