#include "diff/dataflow.h"

#include <algorithm>
#include <utility>

namespace goldentrace {

namespace {

constexpr std::int64_t left_out = -1;

using NodeOfRow = std::vector<std::int64_t>;

template <typename Emit>
void each_edge(std::span<const Record> records, const NodeOfRow& nodes, const Emit& emit) {
  for (std::size_t row = 0; row < records.size(); ++row) {
    if (nodes[row] == left_out) continue;
    for (const std::int64_t producer : records[row].producers) {
      if (producer < 0 || producer >= static_cast<std::int64_t>(row)) continue;
      const std::int64_t from = nodes[static_cast<std::size_t>(producer)];
      if (from != left_out && from != nodes[row]) emit(from, nodes[row]);
    }
  }
}

}  // namespace

Dataflow::Dataflow(std::span<const Record> a, std::span<const Record> b, const Alignment& alignment)
    : pair_count_(alignment.pairs.size()),
      first_left_out_(pair_count_ + alignment.missing.size() + alignment.extra.size()) {
  NodeOfRow of_a(a.size(), left_out);
  NodeOfRow of_b(b.size(), left_out);
  Node node = 0;
  for (const RecordPair& pair : alignment.pairs) {
    of_a[static_cast<std::size_t>(pair.a)] = node;
    of_b[static_cast<std::size_t>(pair.b)] = node++;
  }
  for (const std::int64_t row : alignment.missing) of_a[static_cast<std::size_t>(row)] = node++;
  for (const std::int64_t row : alignment.extra) of_b[static_cast<std::size_t>(row)] = node++;
  for (const LeftOut& each : alignment.left_out) {
    (each.side == Side::a ? of_a : of_b)[static_cast<std::size_t>(each.row)] = node++;
  }
  for (const PassedThrough& each : alignment.passed_through) {
    NodeOfRow& nodes = each.side == Side::a ? of_a : of_b;
    nodes[static_cast<std::size_t>(each.row)] = nodes[static_cast<std::size_t>(each.input)];
  }
  std::vector<Edge> edges;
  const auto emit = [&edges](Node from, Node to) { edges.push_back({from, to}); };
  each_edge(a, of_a, emit);
  each_edge(b, of_b, emit);
  const auto count = static_cast<std::size_t>(node);
  consumers_ = sorted(edges, count);
  for (Edge& edge : edges) std::swap(edge.from, edge.to);
  producers_ = sorted(std::move(edges), count);
}

Dataflow::Edges Dataflow::sorted(std::vector<Edge> edges, std::size_t nodes) {
  const auto order = [](const Edge& edge) { return std::pair(edge.from, edge.to); };
  std::ranges::sort(edges, {}, order);
  const auto repeated = std::ranges::unique(edges, {}, order);
  edges.erase(repeated.begin(), repeated.end());
  Edges result;
  result.starts.assign(nodes + 1, 0);
  for (const Edge& edge : edges) {
    ++result.starts[static_cast<std::size_t>(edge.from) + 1];
    result.targets.push_back(edge.to);
  }
  for (std::size_t i = 0; i < nodes; ++i) result.starts[i + 1] += result.starts[i];
  return result;
}

}  // namespace goldentrace
