#include "diff/origin.h"

#include <algorithm>
#include <vector>

#include "diff/op_text.h"
#include "diff/op_values.h"
#include "diff/replay_command.h"

namespace goldentrace {

namespace {

bool is_output(Role role) { return role == Role::output || role == Role::grad_input; }

bool is_forward(const RecordId& id) { return id.pass == Pass::forward || id.pass == Pass::recompute; }

// How far the records agree that a root was computed from.
enum class Agreement { none_recorded, within_gate, bit_equal };

std::string introduced_text(const RecordId& id, Agreement inputs) {
  if (inputs == Agreement::none_recorded) return "it differs, and nothing that it was computed from was recorded";
  const std::string how = inputs == Agreement::bit_equal ? "bit for bit" : "within the gate";
  if (id.pass == Pass::update && id.role == Role::param) {
    return "gradient and old value agree " + how + ", the value after the optimizer does not";
  }
  return "what it was computed from agrees " + how + ", it does not";
}

std::string explanation_of(Origin origin, const Divergence& divergence, Agreement inputs) {
  switch (origin) {
    case Origin::introduced:
      return introduced_text(divergence.pair.id, inputs);
    case Origin::glue:
      return "made between the layers " + divergence.from.value_or("(start)") + " and " + *divergence.to;
    case Origin::weight:
      return "stored values differ before any op used them; later layers follow from it";
    case Origin::random:
      return "the random state at entry differs, and the layer draws random numbers";
    case Origin::inherited:
      return "what it was computed from was not compared and is not equal";
  }
  return {};
}

// Layers of two shapes do one thing by other ops; only where the ops are the same, other arguments say something.
bool is_same_op_list(const std::vector<TapeDifference>& differences) {
  return std::ranges::all_of(differences,
                             [](const TapeDifference& each) { return each.change == TapeChange::argument; });
}

}  // namespace

const Record& OriginFinder::record_a(std::int64_t pair) const {
  const auto row = input_.alignment.pairs[static_cast<std::size_t>(pair)].a;
  return input_.a.records[static_cast<std::size_t>(row)];
}

const Record& OriginFinder::record_b(std::int64_t pair) const {
  const auto row = input_.alignment.pairs[static_cast<std::size_t>(pair)].b;
  return input_.b.records[static_cast<std::size_t>(row)];
}

bool OriginFinder::rests_on_unknown(std::int64_t pair) const {
  if (!has_unknown_) return false;
  std::vector<std::uint8_t> seen(graph_.size(), 0);
  std::vector<std::int64_t> stack{pair};
  while (!stack.empty()) {
    const std::int64_t node = stack.back();
    stack.pop_back();
    for (const std::int64_t producer : graph_.producers(node)) {
      if (seen[static_cast<std::size_t>(producer)]++) continue;
      if (!graph_.is_pair(producer)) {
        stack.push_back(producer);
      } else if (input_.states[static_cast<std::size_t>(producer)] == PairState::unknown) {
        return true;
      }
    }
  }
  return false;
}

Origin OriginFinder::origin_of(std::int64_t pair) const {
  const RecordId& id = record_a(pair).id;
  if (rests_on_unknown(pair)) return Origin::inherited;
  if (is_forward(id) && (id.role == Role::param || id.role == Role::buffer)) return Origin::weight;
  return is_made_between_layers(record_a(pair)) ? Origin::glue : Origin::introduced;
}

bool OriginFinder::inputs_are_bit_equal(std::int64_t pair) const {
  return std::ranges::all_of(graph_.producers(pair), [this](std::int64_t producer) {
    return graph_.is_pair(producer) && input_.states[static_cast<std::size_t>(producer)] == PairState::bit_equal;
  });
}

// Producers of a glue tensor are the records that the glue ops read: the latest one, innermost of nested labels.
std::optional<std::string> OriginFinder::last_agreeing_layer(std::int64_t pair) const {
  const RecordId* last = nullptr;
  for (const std::int64_t producer : graph_.producers(pair)) {
    if (!graph_.is_pair(producer)) continue;
    const RecordId& id = record_a(producer).id;
    if (!is_output(id.role) && last) continue;
    if (!last || !is_output(last->role) || !code_.calls_a().encloses(id, *last)) last = &id;
  }
  return last ? std::optional(last->layer) : nearest_output_before(pair);
}

std::optional<std::string> OriginFinder::nearest_output_before(std::int64_t pair) const {
  const RecordId& to = record_a(pair).id;
  for (std::int64_t other = pair - 1; other >= 0; --other) {
    const RecordId& id = record_a(other).id;
    const bool near = id.step == to.step && id.micro == to.micro && id.rank == to.rank && id.pass == to.pass;
    if (near && is_output(id.role) && !code_.calls_a().encloses(id, to)) return id.layer;
  }
  return std::nullopt;
}

ReplaySources OriginFinder::sources(std::int64_t pair) const {
  return {payloads_a_.are_complete(code_.calls_a().call_of(record_a(pair).id)),
          payloads_b_.are_complete(code_.calls_b().call_of(record_b(pair).id))};
}

void OriginFinder::place(std::int64_t pair, Divergence& divergence) const {
  divergence.origin = origin_of(pair);
  if (divergence.origin == Origin::glue) {
    divergence.from = last_agreeing_layer(pair);
    divergence.to = divergence.pair.id.layer;
  }
  const Agreement inputs = graph_.producers(pair).empty() ? Agreement::none_recorded
                           : inputs_are_bit_equal(pair)   ? Agreement::bit_equal
                                                          : Agreement::within_gate;
  divergence.explanation = explanation_of(divergence.origin, divergence, inputs);
  ReplaySources available = sources(pair);
  // A layer of the other shape takes other inputs: only B's own can be replayed.
  if (input_.b.logical) available.a = false;
  divergence.replay_command = goldentrace::replay_command(input_.a.path, input_.b.path, divergence, available);
}

void OriginFinder::explain_same_code(std::int64_t pair, Divergence& divergence) const {
  if (divergence.origin == Origin::random || divergence.op) return;
  divergence.explanation +=
      inputs_are_bit_equal(pair)
          ? "; same code, same inputs: kernel, thread count or memory"
          : "; same code: its inputs are not bit-equal, and it may only carry their difference on";
}

void OriginFinder::compare_code(std::int64_t pair, Divergence& divergence) const {
  const bool has_code = divergence.origin == Origin::introduced || divergence.origin == Origin::glue;
  const Record& record = record_a(pair);
  const LayerCode::Calls calls = code_.calls_of(record, record_b(pair));
  if (!has_code || !calls.have_tapes()) return;
  const Tape tape_a = input_.a.tape(calls.a->tape);
  const Tape tape_b = input_.b.tape(calls.b->tape);
  if (code_.draws_otherwise(calls, tape_b)) {
    divergence.origin = Origin::random;
    divergence.explanation = explanation_of(Origin::random, divergence, Agreement::none_recorded);
  }
  divergence.tape = diff_tapes(tape_a, tape_b, LayerCode::scope_of(record));
  if (divergence.pair.id.layer != divergence.pair.id_b.layer && !is_same_op_list(divergence.tape)) {
    divergence.tape.clear();
    return;
  }
  const auto is_elsewhere = [](const TapeDifference& each) { return !each.upstream; };
  const bool updated = record.id.role == Role::param && record.id.pass == Pass::update;
  if (updated || !std::ranges::all_of(divergence.tape, is_elsewhere)) std::erase_if(divergence.tape, is_elsewhere);
  divergence.op = name_op({input_.a, *calls.a, tape_a}, {input_.b, *calls.b, tape_b}, divergence.tape);
  explain_same_code(pair, divergence);
}

}  // namespace goldentrace
