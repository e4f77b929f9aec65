// The dataflow graphs of two traces, joined at their aligned records.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "diff/align.h"
#include "traces/record.h"

namespace goldentrace {

// Nodes: first the pairs of the alignment under their numbers, then the records of A without a partner, then those of
// B, then those that a relation leaves out. An output that passed an input through is the input's node. A node's
// producers are those of both of its records; op outputs are left out. Producer rows that do not come before their
// record are ignored, so that each side is free of cycles.
class Dataflow {
 public:
  using Node = std::int64_t;

  Dataflow(std::span<const Record> a, std::span<const Record> b, const Alignment& alignment);

  std::size_t size() const { return producers_.starts.size() - 1; }
  std::size_t pair_count() const { return pair_count_; }
  bool is_pair(Node node) const { return static_cast<std::size_t>(node) < pair_count_; }
  // A record that a relation says has no counterpart.
  bool is_left_out(Node node) const { return static_cast<std::size_t>(node) >= first_left_out_; }
  std::span<const Node> producers(Node node) const { return producers_.of(node); }
  std::span<const Node> consumers(Node node) const { return consumers_.of(node); }

 private:
  struct Edges {
    std::vector<std::size_t> starts;
    std::vector<Node> targets;

    std::span<const Node> of(Node node) const {
      const auto at = static_cast<std::size_t>(node);
      return std::span(targets).subspan(starts[at], starts[at + 1] - starts[at]);
    }
  };
  struct Edge {
    Node from;
    Node to;
  };

  static Edges sorted(std::vector<Edge> edges, std::size_t nodes);

  std::size_t pair_count_;
  std::size_t first_left_out_;
  Edges producers_;
  Edges consumers_;
};

}  // namespace goldentrace
