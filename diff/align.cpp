#include "diff/align.h"

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "diff/uneven_inputs.h"

namespace goldentrace {

namespace {

using Rows = std::vector<std::int64_t>;

struct Group {
  Rows a;
  Rows b;
};

// Records of one group share everything of their id but the index. Declared inputs are a group of their own.
struct GroupKey {
  const RecordId* id;
  bool declared;

  bool operator==(const GroupKey& other) const { return declared == other.declared && fields() == other.fields(); }
  std::tuple<std::int64_t, std::int64_t, std::int32_t, Pass, std::string_view, std::int32_t, Role> fields() const {
    return {id->step, id->micro, id->rank, id->pass, id->layer, id->call, id->role};
  }
};

struct GroupHash {
  std::size_t operator()(const GroupKey& key) const {
    std::size_t hash = std::hash<std::string_view>{}(key.id->layer);
    const auto mix = [&hash](std::int64_t value) {
      hash = (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29;
    };
    mix(key.id->step);
    mix(key.id->micro);
    mix(key.id->rank);
    mix(key.id->call);
    mix(static_cast<int>(key.id->pass) * 64 + static_cast<int>(key.id->role) * 2 + (key.declared ? 1 : 0));
    return hash;
  }
};

using Groups = std::unordered_map<GroupKey, Group, GroupHash>;

void collect(std::span<const Record> records, std::span<const std::uint8_t> skip, Rows Group::*side, Groups& groups) {
  for (std::size_t row = 0; row < records.size(); ++row) {
    const Record& record = records[row];
    if (record.id.role == Role::op_output || (!skip.empty() && skip[row] != 0)) continue;
    (groups[{&record.id, record.declared}].*side).push_back(static_cast<std::int64_t>(row));
  }
}

bool is_uneven(const GroupKey& key, const Group& group, Role role) {
  return key.id->role == role && !key.declared && group.a.size() != group.b.size();
}

// Their own numbers are uneven, or those of the inputs whose gradients they are.
bool is_uneven(const GroupKey& key, const Group& group, const Groups& groups) {
  if (is_uneven(key, group, Role::output) || is_uneven(key, group, Role::input)) return true;
  if (key.id->role != Role::grad_input) return false;
  RecordId inputs = *key.id;
  inputs.pass = Pass::forward;
  inputs.role = Role::input;
  const auto found = groups.find({&inputs, false});
  return found != groups.end() && is_uneven(found->first, found->second, Role::input);
}

bool is_named(const GroupKey& key) {
  const Role role = key.id->role;
  return role == Role::param || role == Role::param_grad || role == Role::buffer;
}

void sort_by_position(Rows& rows, std::span<const Record> records) {
  std::ranges::stable_sort(rows, {}, [records](std::int64_t row) { return records[row].position; });
}

// Rows of `rows` under their index, the first in position order at the back.
std::unordered_map<std::string_view, Rows> by_name(const Rows& rows, std::span<const Record> records) {
  std::unordered_map<std::string_view, Rows> names;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) names[records[*row].id.index].push_back(*row);
  return names;
}

void pair_by_name(Group& group, std::span<const Record> a, std::span<const Record> b, Alignment& alignment) {
  auto names = by_name(group.b, b);
  Rows rest;
  for (const std::int64_t row : group.a) {
    const auto partner = names.find(a[row].id.index);
    if (partner == names.end() || partner->second.empty()) {
      rest.push_back(row);
      continue;
    }
    alignment.pairs.push_back({row, partner->second.back()});
    partner->second.pop_back();
  }
  group.a = std::move(rest);
  const auto is_paired = [&](std::int64_t row) {
    const Rows& left = names[b[row].id.index];
    return std::ranges::find(left, row) == left.end();
  };
  std::erase_if(group.b, is_paired);
}

void leave(const Rows& rows, std::size_t first, Rows& unpaired) {
  unpaired.insert(unpaired.end(), rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end());
}

// Positions count within the group, so equal positions meet and what is left of the longer side has no partner.
void pair_by_order(const Group& group, std::span<const Record> a, std::span<const Record> b, Alignment& alignment) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < group.a.size() && j < group.b.size()) {
    const std::int32_t position_a = a[group.a[i]].position;
    const std::int32_t position_b = b[group.b[j]].position;
    if (position_a == position_b) {
      alignment.pairs.push_back({group.a[i++], group.b[j++]});
    } else if (position_a < position_b) {
      alignment.missing.push_back(group.a[i++]);
    } else {
      alignment.extra.push_back(group.b[j++]);
    }
  }
  leave(group.a, i, alignment.missing);
  leave(group.b, j, alignment.extra);
}

// After names were paired, or outputs set aside, the positions of the rest have gaps: they meet by order alone.
void pair_leftovers(const Group& group, Alignment& alignment) {
  const std::size_t common = std::min(group.a.size(), group.b.size());
  for (std::size_t i = 0; i < common; ++i) alignment.pairs.push_back({group.a[i], group.b[i]});
  leave(group.a, common, alignment.missing);
  leave(group.b, common, alignment.extra);
}

void pair_inputs(Group& group, std::span<const Record> a, std::span<const Record> b, Alignment& alignment) {
  pair_by_name(group, a, b, alignment);
  leave(group.a, 0, alignment.missing);
  leave(group.b, 0, alignment.extra);
}

bool same_content(const Record& a, const Record& b) {
  return a.fingerprint.hash == b.fingerprint.hash && a.dtype == b.dtype && a.shape == b.shape;
}

// Outputs of one call of which the two traces have unequal numbers.
class UnevenOutputs {
 public:
  UnevenOutputs(std::span<const Record> a, std::span<const Record> b, const Groups& groups, Alignment& alignment)
      : a_(a), b_(b), groups_(groups), alignment_(alignment), paired_a_(a.size(), 0), paired_b_(b.size(), 0) {
    for (const RecordPair& pair : alignment.pairs) paired_a_[pair.a] = paired_b_[pair.b] = 1;
  }

  void pair(Group group) {
    const RecordId& id = group.a.empty() ? b_[group.b.front()].id : a_[group.a.front()].id;
    RecordId inputs = id;
    inputs.role = Role::input;
    const auto found = groups_.find({&inputs, false});
    const bool shortened = found != groups_.end() && shorten(group, found->second);
    if (shortened) {
      pair_leftovers(group, alignment_);
    } else {
      pair_by_order(group, a_, b_, alignment_);
    }
  }

 private:
  bool shorten(Group& group, const Group& inputs) {
    if (group.a.size() > group.b.size()) return shorten(group.a, inputs.a, Side::a, group.a.size() - group.b.size());
    return shorten(group.b, inputs.b, Side::b, group.b.size() - group.a.size());
  }

  bool shorten(Rows& outputs, const Rows& inputs, Side side, std::size_t excess) {
    std::vector<PassedThrough> found;
    for (const std::int64_t output : outputs) {
      const std::int64_t input = handed_on(output, inputs, side);
      if (input >= 0) found.push_back({side, output, input});
    }
    if (found.size() < excess) return false;
    // Of more than enough, those that came last: first outputs are the ones that both programs name.
    for (auto each = found.end() - static_cast<std::ptrdiff_t>(excess); each != found.end(); ++each) {
      alignment_.passed_through.push_back(*each);
      std::erase(outputs, each->row);
    }
    return true;
  }

  std::int64_t handed_on(std::int64_t output, const Rows& inputs, Side side) const {
    const std::span<const Record> records = side == Side::a ? a_ : b_;
    const std::vector<std::uint8_t>& paired = side == Side::a ? paired_a_ : paired_b_;
    for (const std::int64_t input : inputs) {
      if (paired[input] && same_content(records[output], records[input])) return input;
    }
    return -1;
  }

  std::span<const Record> a_;
  std::span<const Record> b_;
  const Groups& groups_;
  Alignment& alignment_;
  std::vector<std::uint8_t> paired_a_;
  std::vector<std::uint8_t> paired_b_;
};

void pair_uneven_outputs(std::span<const Record> a, std::span<const Record> b, const Groups& groups,
                         Alignment& alignment) {
  UnevenOutputs uneven(a, b, groups, alignment);
  for (const auto& [key, group] : groups) {
    if (is_uneven(key, group, Role::output)) uneven.pair(group);
  }
}

// Gradients of inputs meet as their inputs do.
struct GradientMatch {
  std::span<const Record> a, b;
  Groups& groups;
  Alignment& alignment;

  void pair(const RecordId& inputs, const InputPairing& match) const {
    RecordId id = inputs;
    id.pass = Pass::backward;
    id.role = Role::grad_input;
    const auto found = groups.find({&id, false});
    if (found == groups.end()) return;
    Group& group = found->second;
    for (const RecordPair& pair : match.pairs) {
      const auto of_a = at_position(group.a, a, pair.a);
      const auto of_b = at_position(group.b, b, pair.b);
      if (of_a == group.a.end() || of_b == group.b.end()) continue;
      alignment.pairs.push_back({*of_a, *of_b});
      group.a.erase(of_a);
      group.b.erase(of_b);
    }
    leave(group.a, 0, alignment.missing);
    leave(group.b, 0, alignment.extra);
    group = {};
  }

 private:
  static Rows::iterator at_position(Rows& rows, std::span<const Record> records, std::int64_t input) {
    return std::ranges::find(rows, records[input].position,
                             [records](std::int64_t row) { return records[row].position; });
  }
};

void pair_uneven_inputs(std::span<const Record> a, std::span<const Record> b, Groups& groups, Alignment& alignment) {
  const auto any = [](const auto& entry) { return is_uneven(entry.first, entry.second, Role::input); };
  if (std::ranges::none_of(groups, any)) return;
  const UnevenInputs uneven(a, b, alignment.pairs);
  for (const auto& [key, group] : groups) {
    if (!is_uneven(key, group, Role::input)) continue;
    const InputPairing match = uneven.match(group.a, group.b);
    alignment.pairs.insert(alignment.pairs.end(), match.pairs.begin(), match.pairs.end());
    leave(match.missing, 0, alignment.missing);
    leave(match.extra, 0, alignment.extra);
    if (key.id->pass == Pass::forward) GradientMatch{a, b, groups, alignment}.pair(*key.id, match);
  }
}

bool is_alike(const Record& a, const Record& b) {
  return a.position == b.position && a.declared == b.declared && a.id == b.id;
}

// Two runs of one program: every record meets the one of its own row.
Alignment pair_by_row(std::span<const Record> records) {
  Alignment alignment;
  alignment.pairs.reserve(records.size());
  for (std::size_t row = 0; row < records.size(); ++row) {
    const auto number = static_cast<std::int64_t>(row);
    if (records[row].id.role != Role::op_output) alignment.pairs.push_back({number, number});
  }
  return alignment;
}

void leave_out(Side side, std::span<const std::uint8_t> skip, Alignment& alignment) {
  for (std::size_t row = 0; row < skip.size(); ++row) {
    if (skip[row] != 0) alignment.left_out.push_back({side, static_cast<std::int64_t>(row)});
  }
}

}  // namespace

Alignment align(std::span<const Record> a, std::span<const Record> b, const SkippedRows& skip) {
  if (skip.a.empty() && skip.b.empty() && std::ranges::equal(a, b, is_alike)) return pair_by_row(a);
  Groups groups;
  groups.reserve(a.size());
  collect(a, skip.a, &Group::a, groups);
  collect(b, skip.b, &Group::b, groups);
  Alignment alignment;
  leave_out(Side::a, skip.a, alignment);
  leave_out(Side::b, skip.b, alignment);
  for (auto& [key, group] : groups) {
    sort_by_position(group.a, a);
    sort_by_position(group.b, b);
    if (key.declared) {
      pair_inputs(group, a, b, alignment);
    } else if (is_named(key)) {
      pair_by_name(group, a, b, alignment);
      pair_leftovers(group, alignment);
    } else if (!is_uneven(key, group, groups)) {
      pair_by_order(group, a, b, alignment);
    }
  }
  pair_uneven_inputs(a, b, groups, alignment);
  pair_uneven_outputs(a, b, groups, alignment);
  std::ranges::sort(alignment.pairs, {}, &RecordPair::a);
  std::ranges::sort(alignment.missing);
  std::ranges::sort(alignment.extra);
  std::ranges::sort(alignment.passed_through, {},
                    [](const PassedThrough& each) { return std::pair(each.side, each.row); });
  return alignment;
}

}  // namespace goldentrace
