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
  Search(const DivergenceInput& input, const Dataflow& graph)
      : input_(input), graph_(graph), calls_(input.a.calls), absorbed_(graph.pair_count(), 0) {
    for (std::size_t pair = 0; pair < input.states.size(); ++pair) {
      if (input.states[pair] == PairState::differs) differing_.push_back(static_cast<Node>(pair));
    }
  }

  Divergences run() {
    Divergences found;
    if (differing_.empty()) return found;
    absorb();
    for (const Node pair : differing_) {
      (absorbed_[static_cast<std::size_t>(pair)] ? found.absorbed : found.mismatched).push_back(pair);
    }
    look_through();
    found.roots = order(
        one_per_tensor(input_.a.records, input_.b.records, input_.alignment.pairs, roots(found.mismatched), calls_));
    return found;
  }

 private:
  PairState state(Node pair) const { return input_.states[static_cast<std::size_t>(pair)]; }
  const RecordId& id(Node pair) const {
    const auto row = input_.alignment.pairs[static_cast<std::size_t>(pair)].a;
    return input_.a.records[static_cast<std::size_t>(row)].id;
  }
  bool is_transparent(Node node) const { return !graph_.is_pair(node) || state(node) == PairState::unknown; }
  bool agrees(Node pair) const {
    return state(pair) == PairState::bit_equal || state(pair) == PairState::within ||
           (state(pair) == PairState::differs && absorbed_[static_cast<std::size_t>(pair)]);
  }

  // Inputs and gradients that arrive are the tensor that left, or a part of it: what reads them decides.
  bool is_arrival(Node pair) const { return id(pair).role == Role::input || id(pair).role == Role::grad_output; }
  bool feels_nothing(Node pair) const {
    if (state(pair) == PairState::differs) return is_arrival(pair) && absorbed_[static_cast<std::size_t>(pair)];
    return agrees(pair);
  }

  // All that read the tensor of a group agree, and something reads it. A result that differs, though it is absorbed
  // further on, does not agree: differences that only shrink are no invariance.
  bool is_absorbed(const Nodes& group) const {
    bool read = false;
    for (const Node pair : group) {
      if (!can_be_absorbed(id(pair).role)) return false;
      for (const Node consumer : graph_.consumers(pair)) {
        if (std::ranges::binary_search(group, consumer)) continue;
        if (is_transparent(consumer) || !feels_nothing(consumer)) return false;
        read = true;
      }
    }
    return read;
  }

  // Smallest set that satisfies the rule, so that a cycle never absorbs itself. Later records are looked at first:
  // one round settles all but crossing orders of the two traces.
  void absorb() {
    std::vector<Nodes> groups =
        nested_groups(input_.a.records, input_.b.records, input_.alignment.pairs, differing_, calls_);
    std::ranges::sort(groups, std::greater<>(), [](const Nodes& group) { return group.back(); });
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Nodes& group : groups) {
        if (absorbed_[static_cast<std::size_t>(group.front())] || !is_absorbed(group)) continue;
        for (const Node pair : group) absorbed_[static_cast<std::size_t>(pair)] = 1;
        changed = true;
      }
    }
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

  Nodes order(Nodes roots) const {
    std::ranges::stable_partition(roots,
                                  [this](Node pair) { return input_.weights[static_cast<std::size_t>(pair)] != 0; });
    return roots;
  }

  const DivergenceInput& input_;
  const Dataflow& graph_;
  const CallIndex calls_;
  Nodes differing_;
  std::vector<std::uint8_t> absorbed_;
  std::vector<std::uint8_t> clean_;
};

}  // namespace

Divergences find_divergences(const DivergenceInput& input, const Dataflow& graph) { return Search(input, graph).run(); }

std::int64_t count_followers(const Dataflow& graph, const Divergences& found, std::int64_t root) {
  std::vector<std::uint8_t> waiting(graph.size(), 0);
  for (const Node pair : found.mismatched) waiting[static_cast<std::size_t>(pair)] = 1;
  for (std::size_t node = graph.pair_count(); node < graph.size(); ++node) waiting[node] = 1;
  std::int64_t followers = 0;
  Nodes stack{root};
  waiting[static_cast<std::size_t>(root)] = 0;
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    for (const Node consumer : graph.consumers(node)) {
      if (!waiting[static_cast<std::size_t>(consumer)]) continue;
      waiting[static_cast<std::size_t>(consumer)] = 0;
      stack.push_back(consumer);
      if (graph.is_pair(consumer)) ++followers;
    }
  }
  return followers;
}

}  // namespace goldentrace
