#include "diff/layer_code.h"

#include <algorithm>

#include "diff/op_text.h"
#include "diff/tape_slice.h"

namespace goldentrace {

namespace {

constexpr std::int32_t whole_tape = -2;  // no position, nor written_in_place

}  // namespace

bool is_made_between_layers(const Record& record) {
  const RecordId& id = record.id;
  const bool enters = id.role == Role::input || id.role == Role::grad_output;
  return !record.declared && (enters || (id.role == Role::param_grad && id.pass == Pass::update));
}

LayerCode::Calls LayerCode::calls_of(const Record& a, const Record& b) const {
  const LayerCall* call_a = calls_a_.call_of(a.id);
  const LayerCall* call_b = calls_b_.call_of(b.id);
  if (!is_made_between_layers(a)) return {call_a, call_b};
  return {call_a ? calls_a_.enclosing(*call_a) : nullptr, call_b ? calls_b_.enclosing(*call_b) : nullptr};
}

TapeDiffOptions LayerCode::scope_of(const Record& a) {
  TapeDiffOptions options;
  options.scope = is_made_between_layers(a) ? TapeScope::own : TapeScope::all;
  if (a.id.role == Role::output) options.output = a.position;
  if (a.id.role == Role::param && a.id.pass == Pass::update) options.output = written_in_place;
  return options;
}

LayerCode::Ops LayerCode::compare(const Calls& calls, const TapeDiffOptions& options) const {
  const Tape tape_a = a_.tape(calls.a->tape);
  const Tape tape_b = b_.tape(calls.b->tape);
  if (std::ranges::any_of(diff_tapes(tape_a, tape_b, options), &TapeDifference::upstream)) return Ops::other;
  return std::ranges::any_of(tape_b.ops, draws_random) ? Ops::same_and_random : Ops::same;
}

bool LayerCode::starts_alike(const Calls& calls) const {
  return calls.a->random < 0 || calls.b->random < 0 || a_.blob(calls.a->random) == b_.blob(calls.b->random);
}

bool LayerCode::draws_otherwise(const Calls& calls, const Tape& tape) const {
  return std::ranges::any_of(tape.ops, draws_random) && !starts_alike(calls);
}

bool LayerCode::is_same(const Record& a, const Record& b) const {
  const Calls calls = calls_of(a, b);
  if (!calls.have_tapes()) return false;
  const TapeDiffOptions options = scope_of(a);
  const Key key{calls.a->tape, calls.b->tape, options.scope, options.output.value_or(whole_tape)};
  const auto [place, added] = known_.try_emplace(key, Ops::other);
  if (added) place->second = compare(calls, options);
  return place->second == Ops::same || (place->second == Ops::same_and_random && starts_alike(calls));
}

}  // namespace goldentrace
