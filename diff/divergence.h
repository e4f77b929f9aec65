// First divergence: where mismatches begin on the dataflow graph.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "diff/call_index.h"
#include "diff/dataflow.h"
#include "diff/trace_view.h"

namespace goldentrace {

enum class PairState : std::uint8_t {
  bit_equal,
  within,   // differs within its gate
  differs,  // out of its gate
  unknown,  // not judged (filtered out) and not equal by hash
};

struct DivergenceInput {
  const TraceView& a;
  const TraceView& b;
  const Alignment& alignment;
  std::span<const PairState> states;      // one per pair
  std::span<const std::uint8_t> weights;  // 1: a weight of the first step, judged before everything else
};

struct Divergences {
  // Pairs whose producers all agree, the weights of the first step first, then in A's order. Records that carry one
  // tensor (a weight in several calls, an output of nested labels, a glue tensor entering several layers) count once:
  // the innermost label stands for them.
  std::vector<std::int64_t> roots;
  std::vector<std::int64_t> absorbed;    // pairs that differ, all of whose consumers agree or are absorbed
  std::vector<std::int64_t> mismatched;  // the other pairs that differ, in A's order
};

// A record without a partner, or not judged, is looked through: its producers count as those of its consumers.
Divergences find_divergences(const DivergenceInput& input, const Dataflow& graph);

// How many of the mismatched pairs can be reached from `root` along mismatches.
std::int64_t count_followers(const Dataflow& graph, const Divergences& found, std::int64_t root);

}  // namespace goldentrace
