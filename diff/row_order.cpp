#include "diff/row_order.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace goldentrace {

namespace {

using Hashes = std::vector<std::uint64_t>;
using Order = std::vector<std::size_t>;  // element i comes from element order[i]

constexpr std::size_t most_rows = std::size_t{1} << 18;

// One hash per slice, of the bits of its elements in their order.
Hashes slice_hashes(const TensorView& tensor, bool last_axis) {
  const auto rows = static_cast<std::size_t>(last_axis ? tensor.shape.back() : tensor.shape.front());
  Hashes hashes(rows, 0);
  const std::size_t size = item_size(tensor.dtype);
  const std::size_t count = tensor.bytes.size() / size;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t& hash = hashes[last_axis ? i % rows : i / (count / rows)];
    for (std::size_t k = 0; k < size; ++k) {
      hash = (hash ^ static_cast<std::uint64_t>(tensor.bytes[i * size + k])) * 0x100000001b3U + 1;
    }
  }
  return hashes;
}

bool follows(const Hashes& a, const Hashes& b, const Order& order) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] != a[order[i]]) return false;
  }
  return true;
}

Order unchanged(std::size_t rows) {
  Order order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// [outer][inner][block] becomes [inner][outer][block].
Order regrouped(std::size_t outer, std::size_t inner, std::size_t block) {
  Order order;
  order.reserve(outer * inner * block);
  for (std::size_t i = 0; i < inner; ++i) {
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t k = 0; k < block; ++k) order.push_back((o * inner + i) * block + k);
    }
  }
  return order;
}

Order inverse(const Order& order) {
  Order result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = i;
  return result;
}

// What `second` makes of what `first` made.
Order after(const Order& second, const Order& first) {
  Order result(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) result[i] = first[second[i]];
  return result;
}

class Orders {
 public:
  Orders(Hashes a, Hashes b) : a_(std::move(a)), b_(std::move(b)) {}

  std::size_t rows() const { return a_.size(); }
  bool is_permutation() const {
    Hashes a = a_;
    Hashes b = b_;
    std::ranges::sort(a);
    std::ranges::sort(b);
    return a == b && a_ != b_;
  }
  bool is(const Order& order) const { return follows(a_, b_, order); }

  std::string name(std::string_view layer) const {
    if (layer.find("mlp") != std::string_view::npos) return gated();
    const std::string thirds = query_key_value();
    return thirds.empty() ? grouped() : thirds;
  }

 private:
  std::string query_key_value() const {
    if (rows() % 3 != 0) return "";
    const std::size_t width = rows() / 3;
    for (std::size_t heads = 1; heads <= width; ++heads) {
      if (width % heads != 0) continue;
      const std::vector<Order> stored{unchanged(rows()), regrouped(3, width, 1), regrouped(3, heads, width / heads)};
      for (const int version : {2, 0, 1}) {
        for (const int taken_for : {0, 2, 1}) {
          if (version != taken_for && is_misread(stored, version, taken_for)) {
            return "QKV order, v" + std::to_string(version) + " layout read as v" + std::to_string(taken_for);
          }
        }
      }
      const std::string parts = exchanged(width, stored[2]);
      if (!parts.empty()) return parts;
    }
    return "";
  }

  // Two of query, key and value: thirds, or within each head.
  std::string exchanged(std::size_t width, const Order& by_head) const {
    constexpr std::array<std::string_view, 3> parts{"query", "key", "value"};
    for (std::size_t first = 0; first < 2; ++first) {
      for (std::size_t second = first + 1; second < 3; ++second) {
        Order order = unchanged(rows());
        for (std::size_t k = 0; k < width; ++k) std::swap(order[first * width + k], order[second * width + k]);
        if (!is(order) && !is(after(by_head, after(order, inverse(by_head))))) continue;
        return std::string(parts[first]) + " and " + std::string(parts[second]) + " exchanged";
      }
    }
    return "";
  }

  // As thirds, or as the second version keeps them.
  bool is_misread(const std::vector<Order>& stored, int version, int taken_for) const {
    const Order misread =
        after(inverse(stored[static_cast<std::size_t>(taken_for)]), stored[static_cast<std::size_t>(version)]);
    return is(misread) || is(after(stored[2], after(misread, inverse(stored[2]))));
  }

  std::string grouped() const {
    for (std::size_t groups = 2; groups <= rows() / 4; ++groups) {
      for (std::size_t queries = 2; rows() % groups == 0 && groups * (queries + 2) <= rows(); ++queries) {
        if (rows() / groups % (queries + 2) != 0) continue;
        const Order order = by_group(groups, queries, rows() / groups / (queries + 2));
        const std::string name =
            "GQA groups (" + std::to_string(groups) + " groups of " + std::to_string(queries) + ")";
        if (is(order)) return name + " read as all queries, all keys, all values";
        if (is(inverse(order))) return "all queries, all keys, all values read as " + name;
      }
    }
    return "";
  }

  // All queries, all keys, all values become the queries, the key and the value of each group.
  static Order by_group(std::size_t groups, std::size_t queries, std::size_t size) {
    Order order;
    const auto add = [&](std::size_t head) {
      for (std::size_t k = 0; k < size; ++k) order.push_back(head * size + k);
    };
    for (std::size_t group = 0; group < groups; ++group) {
      for (std::size_t query = 0; query < queries; ++query) add(group * queries + query);
      add(groups * queries + group);
      add(groups * (queries + 1) + group);
    }
    return order;
  }

  std::string gated() const {
    for (std::size_t shards = 2; shards * 2 <= rows(); ++shards) {
      if (rows() % (2 * shards) != 0) continue;
      const Order order = regrouped(2, shards, rows() / 2 / shards);
      if (!is(order) && !is(inverse(order))) continue;
      return "TP merge order of the gated MLP (" + std::to_string(shards) + " shards)";
    }
    return "";
  }

  Hashes a_, b_;
};

std::optional<std::string> described(const TensorView& a, const TensorView& b, std::string_view layer, bool last_axis) {
  const Orders orders(slice_hashes(a, last_axis), slice_hashes(b, last_axis));
  if (!orders.is_permutation()) return std::nullopt;
  const std::string name = orders.name(layer);
  return (last_axis ? "same values, permuted rows (here columns)" : "same values, permuted rows") +
         (name.empty() ? "" : ": " + name);
}

}  // namespace

std::optional<std::string> row_order(const TensorView& a, const TensorView& b, std::string_view layer) {
  if (a.dtype != b.dtype || a.bytes.size() != b.bytes.size() || a.shape.empty() || a.bytes.empty()) return std::nullopt;
  if (!std::ranges::equal(a.shape, b.shape)) return std::nullopt;
  for (const bool last_axis : {false, true}) {
    const std::int64_t rows = last_axis ? a.shape.back() : a.shape.front();
    if (last_axis && a.shape.size() == 1) break;
    if (rows < 2 || rows > static_cast<std::int64_t>(most_rows)) continue;
    if (auto text = described(a, b, layer, last_axis)) return text;
  }
  return std::nullopt;
}

}  // namespace goldentrace
