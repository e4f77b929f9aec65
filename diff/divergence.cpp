#include "diff/divergence.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "diff/tensor_groups.h"

namespace goldentrace {

namespace {

using Node = Dataflow::Node;
using Nodes = std::vector<Node>;

bool can_be_absorbed(Role role) {
  return role == Role::input || role == Role::output || role == Role::grad_output || role == Role::grad_input;
}

class Search {
 public:
  Search(const DivergenceInput& input, const Dataflow& graph, const LayerCode& code)
      : input_(input), graph_(graph), code_(code), absorbed_(graph.pair_count(), 0) {
    for (std::size_t pair = 0; pair < input.states.size(); ++pair) {
      if (input.states[pair] == PairState::differs) differing_.push_back(static_cast<Node>(pair));
    }
  }

  Divergences run() {
    if (differing_.empty()) return {};
    absorb();
    Divergences found = split();
    while (withdraw(carriers(found.roots), found)) found = split();
    name_remains(found);
    drop_carriers(found);
    found.roots = order(std::move(found.roots));
    return found;
  }

 private:
  PairState state(Node pair) const { return input_.states[static_cast<std::size_t>(pair)]; }
  const Record& a(Node pair) const {
    const auto row = input_.alignment.pairs[static_cast<std::size_t>(pair)].a;
    return input_.a.records[static_cast<std::size_t>(row)];
  }
  const Record& b(Node pair) const {
    const auto row = input_.alignment.pairs[static_cast<std::size_t>(pair)].b;
    return input_.b.records[static_cast<std::size_t>(row)];
  }
  const RecordId& id(Node pair) const { return a(pair).id; }
  bool is_transparent(Node node) const { return !graph_.is_pair(node) || state(node) == PairState::unknown; }
  bool agrees(Node pair) const {
    return state(pair) == PairState::bit_equal || state(pair) == PairState::within ||
           (state(pair) == PairState::differs && absorbed_[static_cast<std::size_t>(pair)]);
  }

  // Inputs and gradients that arrive are the tensor that left, or a part of it: what reads them decides.
  bool is_arrival(Node pair) const { return id(pair).role == Role::input || id(pair).role == Role::grad_output; }
  bool has_other_code(Node pair) const {
    return code_.calls_of(a(pair), b(pair)).have_tapes() && !code_.is_same(a(pair), b(pair));
  }
  bool feels_nothing(Node pair) const {
    if (state(pair) != PairState::differs) return agrees(pair);
    return absorbed_[static_cast<std::size_t>(pair)] && (is_arrival(pair) || has_other_code(pair));
  }

  // All that read the tensor of a group agree, and something reads it. What the same code made of it and differs,
  // though it is absorbed further on, does not agree: differences that only shrink are no invariance.
  bool is_absorbed(const Nodes& group) const {
    bool read = false;
    for (const Node pair : group) {
      if (!can_be_absorbed(id(pair).role)) return false;
      for (const Node consumer : graph_.consumers(pair)) {
        if (std::ranges::binary_search(group, consumer)) continue;
        const bool agrees = graph_.is_left_out(consumer) ? agrees_behind(id(pair).role, consumer)
                                                         : !is_transparent(consumer) && feels_nothing(consumer);
        if (!agrees) return false;
        read = true;
      }
    }
    return read;
  }

  // Gradients pass through records that a relation leaves out, and what they arrive at must agree in itself: programs
  // of two shapes never have the same code, so that a difference of values that only shrinks would be absorbed step by
  // step.
  bool agrees_behind(Role role, Node consumer) const {
    if (role != Role::grad_input && role != Role::grad_output) return false;
    const auto behind = graph_.consumers(consumer);
    return !behind.empty() && std::ranges::all_of(behind, [&](Node node) {
      if (graph_.is_left_out(node)) return agrees_behind(role, node);
      return !is_transparent(node) && (state(node) == PairState::bit_equal || state(node) == PairState::within);
    });
  }

  // Smallest set that satisfies the rule, so that a cycle never absorbs itself. Later records are looked at first:
  // one round settles all but crossing orders of the two traces.
  void absorb() {
    groups_ = nested_groups(input_.a.records, input_.b.records, input_.alignment.pairs, differing_, code_.calls_a());
    std::ranges::sort(groups_, std::greater<>(), [](const Nodes& group) { return group.back(); });
    group_of_.resize(graph_.pair_count());
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      for (const Node pair : groups_[group]) group_of_[static_cast<std::size_t>(pair)] = group;
    }
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Nodes& group : groups_) {
        if (absorbed_[static_cast<std::size_t>(group.front())] || !is_absorbed(group)) continue;
        for (const Node pair : group) absorbed_[static_cast<std::size_t>(pair)] = 1;
        changed = true;
      }
    }
  }

  Divergences split() {
    Divergences found;
    for (const Node pair : differing_) {
      (absorbed_[static_cast<std::size_t>(pair)] ? found.absorbed : found.mismatched).push_back(pair);
    }
    look_through();
    found.roots = one_per_tensor(input_.a.records, input_.b.records, input_.alignment.pairs, roots(found.mismatched),
                                 code_.calls_a());
    return found;
  }

  // May have brought a difference from its producers to its consumers.
  bool conducts(Node node) const { return !graph_.is_pair(node) || state(node) != PairState::bit_equal; }

  // Stored values, and those judged before everything else, are what they are.
  bool is_made_by_same_code(Node pair) const {
    const RecordId& made = id(pair);
    const bool stored = (made.role == Role::param || made.role == Role::buffer) && made.pass != Pass::update;
    return !stored && !input_.weights[static_cast<std::size_t>(pair)] && code_.is_same(a(pair), b(pair));
  }

  // Nodes that a mismatch reaches along records that are not bit-equal.
  std::vector<std::uint8_t> reached_from(const Nodes& mismatched) const {
    std::vector<std::uint8_t> reached(graph_.size(), 0);
    Nodes stack = mismatched;
    while (!stack.empty()) {
      const Node node = stack.back();
      stack.pop_back();
      for (const Node consumer : graph_.consumers(node)) {
        if (!conducts(consumer) || reached[static_cast<std::size_t>(consumer)]++) continue;
        stack.push_back(consumer);
      }
    }
    return reached;
  }

  Nodes carriers(const Nodes& roots) const {
    Nodes result;
    std::ranges::copy_if(roots, std::back_inserter(result), [this](Node pair) { return is_made_by_same_code(pair); });
    return result;
  }

  // Of the carriers that no mismatch explains: the nearest absorbed pairs behind them, and the absorbed ones that
  // these came from, are absorbed no longer. False when there were none.
  bool withdraw(const Nodes& carriers, const Divergences& found) {
    const std::vector<std::uint8_t> reached = reached_from(found.mismatched);
    std::vector<std::uint8_t> seen(graph_.size(), 0);
    bool changed = false;
    for (const Node carrier : carriers) {
      if (reached[static_cast<std::size_t>(carrier)]) continue;
      for (const Node pair : absorbed_behind(carrier, seen)) {
        for (const Node same : groups_[group_of_[static_cast<std::size_t>(pair)]]) {
          absorbed_[static_cast<std::size_t>(same)] = 0;
          remains_.push_back({same, carrier});
        }
        changed = true;
      }
    }
    return changed;
  }

  bool is_absorbed_pair(Node node) const {
    return graph_.is_pair(node) && state(node) == PairState::differs && absorbed_[static_cast<std::size_t>(node)];
  }

  Nodes absorbed_behind(Node carrier, std::vector<std::uint8_t>& seen) const {
    Nodes result;
    Nodes stack{carrier};
    while (!stack.empty()) {
      const Node node = stack.back();
      stack.pop_back();
      for (const Node producer : graph_.producers(node)) {
        const bool absorbed = is_absorbed_pair(producer);
        if (!conducts(producer) || (is_absorbed_pair(node) && !absorbed)) continue;
        if (seen[static_cast<std::size_t>(producer)]++) continue;
        stack.push_back(producer);
        if (absorbed) result.push_back(producer);
      }
    }
    return result;
  }

  void name_remains(Divergences& found) const {
    for (const Remains& each : remains_) {
      if (std::ranges::find(found.roots, each.pair) != found.roots.end()) found.remains.push_back(each);
    }
  }

  void drop_carriers(Divergences& found) const {
    const std::vector<std::uint8_t> reached = reached_from(found.mismatched);
    Nodes kept;
    std::ranges::copy_if(found.roots, std::back_inserter(kept), [&](Node pair) {
      return !reached[static_cast<std::size_t>(pair)] || !is_made_by_same_code(pair);
    });
    // Two traces that run their records in other orders can reach each other: nothing is dropped then.
    if (!kept.empty()) found.roots = std::move(kept);
  }

  const Hash128& hash(std::span<const Record> records, std::int64_t row) const {
    return records[static_cast<std::size_t>(row)].fingerprint.hash;
  }

  // A parameter in nested labels: the inner record names the outer one as its producer.
  bool is_same_weight(Node node, Node producer) const {
    if (!graph_.is_pair(node) || !graph_.is_pair(producer)) return false;
    const auto is_read = [this](Node pair) { return id(pair).role == Role::param && id(pair).pass != Pass::update; };
    const RecordPair& inner = input_.alignment.pairs[static_cast<std::size_t>(node)];
    const RecordPair& outer = input_.alignment.pairs[static_cast<std::size_t>(producer)];
    return is_read(node) && is_read(producer) && hash(input_.a.records, inner.a) == hash(input_.a.records, outer.a) &&
           hash(input_.b.records, inner.b) == hash(input_.b.records, outer.b);
  }

  bool producers_agree(Node node) const {
    return std::ranges::all_of(graph_.producers(node), [&](Node producer) {
      if (is_same_weight(node, producer)) return producers_agree(producer);
      return is_transparent(producer) ? clean_[static_cast<std::size_t>(producer)] != 0 : agrees(producer);
    });
  }

  // Transparent nodes whose origins all agree.
  void look_through() {
    clean_.assign(graph_.size(), 1);
    bool changed = true;
    while (changed) {
      changed = false;
      for (Node node = 0; node < static_cast<Node>(graph_.size()); ++node) {
        if (!is_transparent(node) || !clean_[static_cast<std::size_t>(node)] || producers_agree(node)) continue;
        clean_[static_cast<std::size_t>(node)] = 0;
        changed = true;
      }
    }
  }

  Nodes roots(const Nodes& mismatched) const {
    Nodes result;
    std::ranges::copy_if(mismatched, std::back_inserter(result), [this](Node pair) { return producers_agree(pair); });
    // Two traces that run their records in other orders can point at each other; the earliest of A then stands.
    if (result.empty() && !mismatched.empty()) result.push_back(mismatched.front());
    return result;
  }

  // The loss that a step reports was known before the backward pass, though it is recorded last.
  Nodes order(Nodes roots) const {
    std::ranges::stable_partition(roots,
                                  [this](Node pair) { return input_.weights[static_cast<std::size_t>(pair)] != 0; });
    for (auto root = roots.begin(); root != roots.end(); ++root) {
      const RecordId& loss = id(*root);
      if (loss.role != Role::loss || loss.pass != Pass::update) continue;
      const auto later = [&](Node pair) {
        return id(pair).step == loss.step && (id(pair).pass == Pass::backward || id(pair).pass == Pass::update);
      };
      const auto place = std::find_if(roots.begin(), root, later);
      std::rotate(place, root, root + 1);
    }
    return roots;
  }

  const DivergenceInput& input_;
  const Dataflow& graph_;
  const LayerCode& code_;
  Nodes differing_;
  std::vector<std::uint8_t> absorbed_;
  std::vector<std::uint8_t> clean_;
  std::vector<Nodes> groups_;
  std::vector<std::size_t> group_of_;
  std::vector<Remains> remains_;
};

}  // namespace

Divergences find_divergences(const DivergenceInput& input, const Dataflow& graph, const LayerCode& code) {
  return Search(input, graph, code).run();
}

std::int64_t count_followers(const DivergenceInput& input, const Dataflow& graph, const Divergences& found,
                             std::int64_t root) {
  std::vector<std::uint8_t> counts(graph.size(), 0);
  for (const Node pair : found.mismatched) counts[static_cast<std::size_t>(pair)] = 1;
  for (const Node pair : found.roots) counts[static_cast<std::size_t>(pair)] = 0;
  const auto conducts = [&](Node node) {
    return !graph.is_pair(node) || input.states[static_cast<std::size_t>(node)] != PairState::bit_equal;
  };
  std::vector<std::uint8_t> seen(graph.size(), 0);
  std::int64_t followers = 0;
  Nodes stack{root};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    for (const Node consumer : graph.consumers(node)) {
      if (!conducts(consumer) || seen[static_cast<std::size_t>(consumer)]++) continue;
      stack.push_back(consumer);
      followers += counts[static_cast<std::size_t>(consumer)];
    }
  }
  return followers;
}

}  // namespace goldentrace
