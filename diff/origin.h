// Says where a first divergence comes from, and which op of the layer it is.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "diff/call_payloads.h"
#include "diff/dataflow.h"
#include "diff/divergence.h"
#include "diff/layer_code.h"
#include "diff/replay_command.h"
#include "diff/report.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Both traces, their alignment and what is known of each pair. Refers to data that must outlive it.
class OriginFinder {
 public:
  OriginFinder(const DivergenceInput& input, const Dataflow& graph, const LayerCode& code)
      : input_(input),
        graph_(graph),
        code_(code),
        payloads_a_(input.a, code.calls_a()),
        payloads_b_(input.b, code.calls_b()),
        has_unknown_(std::ranges::find(input.states, PairState::unknown) != input.states.end()) {}

  // Fills origin, from, to and replay_command of a root.
  void place(std::int64_t pair, Divergence& divergence) const;
  // Compares the tapes around the root: op, tape, and the origin `random`. Reads both tapes and random states.
  void compare_code(std::int64_t pair, Divergence& divergence) const;

 private:
  const Record& record_a(std::int64_t pair) const;
  const Record& record_b(std::int64_t pair) const;
  ReplaySources sources(std::int64_t pair) const;
  Origin origin_of(std::int64_t pair) const;
  bool rests_on_unknown(std::int64_t pair) const;
  bool inputs_are_bit_equal(std::int64_t pair) const;
  std::optional<std::string> last_agreeing_layer(std::int64_t pair) const;
  std::optional<std::string> nearest_output_before(std::int64_t pair) const;
  void explain_same_code(std::int64_t pair, Divergence& divergence) const;

  const DivergenceInput& input_;
  const Dataflow& graph_;
  const LayerCode& code_;
  CallPayloads payloads_a_;
  CallPayloads payloads_b_;
  bool has_unknown_;
};

}  // namespace goldentrace
