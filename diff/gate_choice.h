// Which gate judges which record.
#pragma once

#include <cstdint>
#include <optional>

#include "diff/gate.h"
#include "diff/rules.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Declared by the trainer, or read by a layer though no recorded op made it.
bool is_model_input(const Record& record);

// Every element must have the same value; dtypes may differ (the exact values are compared), NaN equals NaN.
Gate equal_values();

// What model inputs must satisfy before anything is compared: equal values; of other floating dtypes, equal but for
// the rounding of the coarser one.
Gate input_gate(const Record& a, const Record& b);

// The first step of the run if both traces hold it: their lowest step, unless a trace was recorded from later on.
std::optional<std::int64_t> first_step_of_run(const TraceView& a, const TraceView& b);

class GateChoice {
 public:
  // `rules` must outlive the choice.
  GateChoice(const Gate& base, const Rules& rules, std::optional<std::int64_t> first_step)
      : base_(base), rules_(rules), first_step_(first_step) {}

  // A parameter read in the first step of the run: judged before other records, for equal values.
  bool is_weight(const Record& record) const;
  Gate gate_of(const Record& a) const;

 private:
  Gate base_;
  const Rules& rules_;
  std::optional<std::int64_t> first_step_;
};

}  // namespace goldentrace
