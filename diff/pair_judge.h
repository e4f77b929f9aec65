// Judges aligned records, reading as little of both traces as decides each pair.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "diff/align.h"
#include "diff/gate.h"
#include "diff/trace_view.h"
#include "diff/work_queue.h"

namespace goldentrace {

struct PairTask {
  RecordPair rows;
  const Gate* gate = nullptr;  // must outlive the task
  Metrics metrics = Metrics::all;
};

// Hash first, then payloads, and sketches where a payload is missing. A side without a sketch of the other's size gets
// one from its payload.
Judgement judge_pair(const TraceView& a, const TraceView& b, const PairTask& task);

// The same for many pairs, on several threads with bounded memory. `keep(i, judgement of tasks[i])` is called on those
// threads, once for each task, in any order.
void judge_pairs(const TraceView& a, const TraceView& b, std::span<const PairTask> tasks,
                 const std::function<void(std::size_t, Judgement)>& keep, WorkLimits limits = {});

}  // namespace goldentrace
