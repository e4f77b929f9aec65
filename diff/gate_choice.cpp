#include "diff/gate_choice.h"

#include <algorithm>

namespace goldentrace {

namespace {

std::optional<std::int64_t> lowest_step(const TraceView& trace) {
  std::optional<std::int64_t> lowest;
  for (const Record& record : trace.records) {
    if (!lowest || record.id.step < *lowest) lowest = record.id.step;
  }
  return lowest;
}

// A list of recorded steps may begin in the middle of the run.
bool records_all_steps(const TraceView& trace) {
  if (!trace.header) return true;
  const auto steps = trace.header->find("capture.steps");
  return steps == trace.header->end() || steps->second.empty() || steps->second == "all";
}

bool speaks_of_parameters(const Rule& rule) { return std::ranges::find(rule.roles, Role::param) != rule.roles.end(); }

}  // namespace

bool is_model_input(const Record& record) {
  return record.declared || (record.external && record.id.role == Role::input);
}

Gate equal_values() {
  Gate gate;
  gate.kind = GateKind::allclose;
  gate.rtol = 0;
  gate.atol = 0;
  return gate;
}

Gate input_gate(const Record& a, const Record& b) { return a.dtype == b.dtype ? equal_values() : Gate{}; }

std::optional<std::int64_t> first_step_of_run(const TraceView& a, const TraceView& b) {
  const auto of_a = lowest_step(a);
  const auto of_b = lowest_step(b);
  if (!of_a || of_a != of_b) return std::nullopt;
  const bool from_start = *of_a == 0 || (records_all_steps(a) && records_all_steps(b));
  return from_start ? of_a : std::nullopt;
}

bool GateChoice::is_weight(const Record& record) const {
  const RecordId& id = record.id;
  return id.role == Role::param && id.pass != Pass::update && first_step_ == id.step;
}

Gate GateChoice::gate_of(const Record& a) const {
  const Rule* rule = rules_.find(a.id);
  if (is_weight(a) && !(rule && speaks_of_parameters(*rule))) {
    Gate gate = equal_values();
    gate.dtypes = base_.dtypes;
    return gate;
  }
  return rule ? rule->apply(base_) : base_;
}

}  // namespace goldentrace
