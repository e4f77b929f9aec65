// First divergence: where mismatches begin on the dataflow graph.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "diff/dataflow.h"
#include "diff/layer_code.h"
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

// Where a pair that all its readers are content with is the divergence all the same.
struct Remains {
  std::int64_t pair = 0;
  std::int64_t leaves_at = 0;  // the pair at which what is left of its difference is out of the gate again
};

struct Divergences {
  // Pairs whose producers all agree, the weights of the first step first, then in A's order. Records that carry one
  // tensor (a weight in several calls, an output of nested labels, a glue tensor entering several layers) count once:
  // the innermost label stands for them. A pair made by the same code on both sides that an earlier mismatch reaches
  // along records that are not bit-equal is no root: it only carries that difference on.
  std::vector<std::int64_t> roots;
  std::vector<std::int64_t> absorbed;    // pairs that differ, all of whose consumers agree or are absorbed
  std::vector<std::int64_t> mismatched;  // the other pairs that differ, in A's order
  std::vector<Remains> remains;          // roots of the list above that a consumer had only shrunk into its gate
};

// A record without a partner, or not judged, is looked through: its producers count as those of its consumers.
//
// No consumer is asked whether it is invariant to a difference or only shrinks it. What tells them apart is what comes
// after: when a root is made by the same code on both sides, the difference must have come in through records within
// the gate. The nearest absorbed records on the way then are mismatches, and the first of them is the root.
Divergences find_divergences(const DivergenceInput& input, const Dataflow& graph, const LayerCode& code);

// How many of the mismatched pairs can be reached from `root` along records that are not bit-equal, roots left out.
std::int64_t count_followers(const DivergenceInput& input, const Dataflow& graph, const Divergences& found,
                             std::int64_t root);

}  // namespace goldentrace
