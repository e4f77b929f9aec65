#include "diff/tape_slice.h"

#include <algorithm>

namespace goldentrace {

namespace {

template <typename Visit>
void each_tensor(const std::vector<Argument>& arguments, const Visit& visit) {
  for (const Argument& argument : arguments) {
    if (argument.kind == ArgumentKind::tensor && argument.value >= 0) visit(static_cast<std::size_t>(argument.value));
    if (argument.kind == ArgumentKind::list) each_tensor(argument.items, visit);
  }
}

bool writes_in_place(const TapeOp& op) { return op.name.ends_with('_') && !op.name.ends_with("__"); }

}  // namespace

std::vector<bool> ops_behind(const Tape& tape, std::int32_t output_position) {
  const auto output = std::ranges::find(tape.outputs, output_position, &TapeOutput::position);
  const bool has_output = output != tape.outputs.end() && output->value >= 0;
  const bool has_writes = output_position == written_in_place && std::ranges::any_of(tape.ops, writes_in_place);
  std::vector<bool> behind(tape.ops.size(), true);
  if (!has_output && !has_writes) return behind;
  std::vector<bool> needed(tape.values.size(), false);
  const auto need = [&needed](std::size_t value) {
    if (value < needed.size()) needed[value] = true;
  };
  if (has_output) need(static_cast<std::size_t>(output->value));
  for (std::size_t i = tape.ops.size(); i-- > 0;) {
    const TapeOp& op = tape.ops[i];
    bool used = false;
    const auto check = [&](std::size_t value) { used = used || (value < needed.size() && needed[value]); };
    each_tensor(op.results, check);
    // The written tensor is the first operand; views of it are not followed, so a write whose target is unclear stays.
    if (writes_in_place(op)) used = true;
    behind[i] = used;
    if (used) each_tensor(op.arguments, need);
  }
  return behind;
}

}  // namespace goldentrace
