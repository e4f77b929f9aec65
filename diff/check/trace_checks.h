// What one trace alone shows to be wrong: copies that are not equal, recomputed layers that are not what they were the
// first time, parameters that change between two steps, reductions over ranks that are no sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diff/trace_view.h"

namespace goldentrace {

struct TraceFinding {
  std::string kind;            // "replica", "micro-replica", "recompute", "random-state", "carried", "collective"
  std::int64_t row = 0;        // what is wrong
  std::int64_t reference = 0;  // what it should equal; itself where there is no such record
  std::string text;            // one sentence
};

struct TraceChecks {
  std::int64_t replicas = 0;                   // records that were held against a copy
  std::int64_t recomputed = 0;                 // against the first forward pass
  std::vector<std::string> recomputed_layers;  // whose records those are, in the order of the forward pass
  std::int64_t carried = 0;                    // parameters against what the step before made of them
  std::int64_t collectives = 0;                // results of reductions against what went in
  std::vector<TraceFinding> findings;          // in recorded order

  std::int64_t checked() const { return replicas + recomputed + carried + collectives; }
};

// `layers`: a glob; empty: all. Copies are what the relations `data-parallel`, `tensor-parallel` and (of parameters)
// `accumulation` call replicated, where the trace has several ranks or micro-batches. Reads tapes and random states of
// recomputed layers, and the content of reductions that are not equal by hash; everything else is decided by hashes.
TraceChecks check_trace(const TraceView& trace, const std::string& layers = "");

// The parts of it; each adds its counts and findings.
void check_replicas(const TraceView& trace, TraceChecks& checks);
void check_recomputed(const TraceView& trace, TraceChecks& checks);
void check_carried(const TraceView& trace, TraceChecks& checks);
void check_collectives(const TraceView& trace, TraceChecks& checks);

}  // namespace goldentrace
