#include "diff/tensor_groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace goldentrace {

namespace {

using Pairs = std::vector<std::int64_t>;
using Key = std::tuple<Role, Pass, std::int64_t, std::int64_t, std::int32_t, Hash128, Hash128>;

bool is_parameter(const RecordId& id) { return id.role == Role::param && id.pass != Pass::update; }

Key key_of(const Record& a, const Record& b) {
  const RecordId& id = a.id;
  if (is_parameter(id)) return {id.role, Pass::forward, 0, 0, id.rank, a.fingerprint.hash, b.fingerprint.hash};
  return {id.role, id.pass, id.step, id.micro, id.rank, a.fingerprint.hash, b.fingerprint.hash};
}

std::map<Key, Pairs> buckets(std::span<const Record> a, std::span<const Record> b, std::span<const RecordPair> pairs,
                             std::span<const std::int64_t> chosen) {
  std::map<Key, Pairs> result;
  for (const std::int64_t pair : chosen) {
    const RecordPair& rows = pairs[static_cast<std::size_t>(pair)];
    result[key_of(a[static_cast<std::size_t>(rows.a)], b[static_cast<std::size_t>(rows.b)])].push_back(pair);
  }
  return result;
}

// Union-find over the places of one bucket.
std::size_t find_root(std::vector<std::size_t>& parents, std::size_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

// Nested labels come close together; without the bound a bucket of many equal tensors would cost its square.
constexpr std::size_t reach = 64;

void split_by_nesting(const Pairs& bucket, const std::function<const RecordId&(std::int64_t)>& id_of,
                      const CallIndex& calls, std::vector<Pairs>& groups) {
  std::vector<std::size_t> parents(bucket.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(bucket.size(), i + reach); ++j) {
      const RecordId& first = id_of(bucket[i]);
      const RecordId& second = id_of(bucket[j]);
      const bool nested = calls.encloses(first, second) || calls.encloses(second, first);
      if (nested) parents[find_root(parents, j)] = find_root(parents, i);
    }
  }
  std::map<std::size_t, Pairs> split;
  for (std::size_t i = 0; i < bucket.size(); ++i) split[find_root(parents, i)].push_back(bucket[i]);
  for (auto& [root, members] : split) groups.push_back(std::move(members));
}

// The first member that encloses no other one.
std::int64_t innermost(const Pairs& members, const std::function<const RecordId&(std::int64_t)>& id_of,
                       const CallIndex& calls) {
  const std::span<const std::int64_t> near = std::span(members).first(std::min(members.size(), reach));
  for (const std::int64_t candidate : near) {
    const auto inside = [&](std::int64_t other) { return calls.encloses(id_of(candidate), id_of(other)); };
    if (std::ranges::none_of(near, inside)) return candidate;
  }
  return members.front();
}

}  // namespace

std::vector<Pairs> nested_groups(std::span<const Record> a, std::span<const Record> b,
                                 std::span<const RecordPair> pairs, std::span<const std::int64_t> differing,
                                 const CallIndex& calls) {
  const auto id_of = [&](std::int64_t pair) -> const RecordId& {
    return a[static_cast<std::size_t>(pairs[static_cast<std::size_t>(pair)].a)].id;
  };
  std::vector<Pairs> groups;
  for (const auto& [key, bucket] : buckets(a, b, pairs, differing)) split_by_nesting(bucket, id_of, calls, groups);
  return groups;
}

Pairs one_per_tensor(std::span<const Record> a, std::span<const Record> b, std::span<const RecordPair> pairs,
                     std::span<const std::int64_t> roots, const CallIndex& calls) {
  const auto id_of = [&](std::int64_t pair) -> const RecordId& {
    return a[static_cast<std::size_t>(pairs[static_cast<std::size_t>(pair)].a)].id;
  };
  Pairs result;
  for (const auto& [key, bucket] : buckets(a, b, pairs, roots)) result.push_back(innermost(bucket, id_of, calls));
  std::ranges::sort(result);
  return result;
}

}  // namespace goldentrace
