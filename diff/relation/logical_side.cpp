#include "diff/relation/logical_side.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

namespace goldentrace {

namespace {

const std::optional<RecordPattern>& pattern_of(const RelationLine& line, RelationPart part) {
  return part == RelationPart::a ? line.a : line.b;
}

bool conditions_hold(const RelationLine& line, const TraceView& trace, const TraceView& other, RelationPart part) {
  static const Header empty;
  const Header& own = trace.header ? *trace.header : empty;
  const Header& others = other.header ? *other.header : empty;
  const bool is_a = part == RelationPart::a;
  return holds(line.when, own) && holds(line.when_a, is_a ? own : others) && holds(line.when_b, is_a ? others : own);
}

template <typename Value>
bool admits(const std::vector<Value>& values, Value value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

struct Fit {
  Captures layer, index;
};

std::optional<Fit> fit(const RecordPattern& pattern, const RecordId& id) {
  if (!admits(pattern.roles, id.role) || !admits(pattern.passes, id.pass)) return std::nullopt;
  std::optional<Captures> layer = pattern.layer.match(id.layer);
  if (!layer) return std::nullopt;
  if (!pattern.index) return Fit{std::move(*layer), {}};
  // Names of the layer mean the same in the index; its stars are the index's own.
  Captures known = *layer;
  std::erase_if(known, [](const auto& capture) { return capture.first.front() == '*'; });
  std::optional<Captures> index = pattern.index->match(id.index, std::move(known));
  if (!index) return std::nullopt;
  return Fit{std::move(*layer), std::move(*index)};
}

// Records of equal keys are spoken of by the same lines.
std::string key_of(const RecordId& id) {
  return id.layer + '\n' + id.index + '\n' + std::to_string(static_cast<int>(id.pass) * 16 + static_cast<int>(id.role));
}

}  // namespace

LogicalSide::LogicalSide(const TraceView& trace, const TraceView& other, std::span<const RelationRole> roles)
    : trace_(trace), roles_(roles), ranks_(trace.header) {
  for (const RelationRole& role : roles) {
    Lines& known = lines_.emplace_back();
    for (const RelationLine& line : role.relation->lines | std::views::reverse) {
      if (pattern_of(line, role.part) && conditions_hold(line, trace, other, role.part)) known.push_back(&line);
    }
  }
  look_at_steps();
  collect();
  sort();
  name_layers();
}

// The input that a gradient belongs to.
const Record* LogicalSide::input_of(const Record& gradient) const {
  const RecordId& id = gradient.id;
  const auto& before = trace_.records.first(static_cast<std::size_t>(&gradient - trace_.records.data()));
  for (auto record = before.rbegin(); record != before.rend(); ++record) {
    const RecordId& other = record->id;
    const bool same_call = other.step == id.step && other.micro == id.micro && other.rank == id.rank &&
                           other.call == id.call && other.layer == id.layer;
    if (same_call && other.role == Role::input && other.index == id.index) return &*record;
  }
  return nullptr;
}

bool LogicalSide::comes_from(const Record& record, const NamePattern& layer, const Captures& captures) const {
  const Record* input = record.id.role == Role::grad_input ? input_of(record) : &record;
  if (!input) return false;
  Captures known = captures;
  std::erase_if(known, [](const auto& capture) { return capture.first.front() == '*'; });
  return std::ranges::any_of(input->producers, [&](std::int64_t producer) {
    const bool is_there = producer >= 0 && producer < static_cast<std::int64_t>(trace_.records.size());
    return is_there && layer.match(trace_.records[static_cast<std::size_t>(producer)].id.layer, known);
  });
}

// What the line of one relation adds; false where none speaks of the record.
bool LogicalSide::match_one(const Record& record, std::size_t role, LineMatch& match) const {
  const auto& [relation, part, named] = roles_[role];
  for (const RelationLine* line : lines_[role]) {
    if (line->steps == StepKind::without_loss && steps_with_loss_.contains(record.id.step)) continue;
    const RecordPattern& own = *pattern_of(*line, part);
    std::optional<Fit> found = fit(own, record.id);
    if (!found || (own.from && !comes_from(record, *own.from, found->layer))) continue;
    match.by_line = line->names_records();
    match.form.join(part == RelationPart::a ? line->form_a : line->form_b, match.sets.size());
    const std::optional<RecordPattern>& target = pattern_of(*line, named);
    if (target && named != part) {
      match.layer = target->layer.expand(found->layer);
      if (target->index) match.index = target->index->expand(found->index);
    }
    match.sets.push_back({line, &roles_[role], std::move(found->layer)});
    return true;
  }
  return false;
}

LineMatch LogicalSide::match(const Record& record) const {
  LineMatch result;
  result.layer = record.id.layer;
  result.index = record.id.index;
  for (std::size_t role = 0; role < roles_.size(); ++role) {
    if (!match_one(record, role, result)) continue;
    if (!(result.line()->a && result.line()->b)) {
      result.form = {};
      break;
    }
  }
  return result;
}

const LineMatch& LogicalSide::known_match(const Record& record) {
  const auto [place, added] =
      known_.try_emplace(key_of(record.id) + (steps_with_loss_.contains(record.id.step) ? "" : "-"));
  if (added) place->second = match(record);
  return place->second;
}

// Steps without a loss in which all data-parallel ranks were fed the same: an evaluation that each of them does.
void LogicalSide::look_at_steps() {
  using Fed = std::map<std::int32_t, std::set<std::tuple<std::int64_t, std::string, Hash128>>>;  // by data index
  std::map<std::int64_t, Fed> fed;
  for (const Record& record : trace_.records) {
    const RecordId& id = record.id;
    if (id.role == Role::loss) steps_with_loss_.insert(id.step);
    if (record.declared) fed[id.step][ranks_.shard_of(id).data].emplace(id.micro, id.index, record.fingerprint.hash);
  }
  for (const auto& [step, ranks] : fed) {
    const auto is_same = [&ranks](const Fed::value_type& each) { return each.second == ranks.begin()->second; };
    if (ranks.size() > 1 && !steps_with_loss_.contains(step) && std::ranges::all_of(ranks, is_same))
      copied_steps_.insert(step);
  }
}

const LineMatch& LogicalSide::match_of(const Record& record) {
  const LineMatch& known = known_match(record);
  if (!copied_steps_.contains(record.id.step) || !known.form.combines()) return known;
  const auto [place, added] = copied_.try_emplace(&known, known);
  if (added) place->second.form = known.form.of_copies(Dimension::data);
  return place->second;
}

void LogicalSide::collect() {
  using Key =
      std::tuple<std::int64_t, ShardPlace, Pass, std::string, std::int32_t, Role, std::string, std::int32_t, bool>;
  std::map<Key, std::size_t> open;
  for (std::size_t row = 0; row < trace_.records.size(); ++row) {
    const Record& record = trace_.records[row];
    LogicalTensor tensor{{static_cast<std::int64_t>(row)}, &match_of(record), {}};
    for (const SetMatch& set : tensor.match->sets) ++uses_[set.line];
    if (!tensor.match->form.combines()) {
      tensors_.push_back(std::move(tensor));
      continue;
    }
    const RecordId& id = record.id;
    const Key key{id.step,
                  tensor.match->form.combined(ranks_.shard_of(id)),
                  id.pass,
                  tensor.match->layer,
                  id.call,
                  id.role,
                  tensor.match->index,
                  record.position,
                  record.declared};
    const auto [place, added] = open.try_emplace(key, tensors_.size());
    if (added) {
      tensors_.push_back(std::move(tensor));
    } else {
      tensors_[place->second].sources.push_back(static_cast<std::int64_t>(row));
    }
  }
}

void LogicalSide::sort() {
  for (LogicalTensor& tensor : tensors_) {
    std::ranges::stable_sort(tensor.sources, {}, [this](std::int64_t row) {
      return ranks_.shard_of(trace_.records[static_cast<std::size_t>(row)].id);
    });
  }
  std::ranges::stable_sort(tensors_, {}, [](const LogicalTensor& tensor) { return std::ranges::max(tensor.sources); });
}

namespace {

// A logical tensor without its micro-batch, rank and pass.
using Place = std::tuple<std::int64_t, std::string, std::int32_t, Role, std::int32_t, std::string>;

Place place_of(const LogicalTensor& tensor, const Record& record) {
  const RecordId& id = record.id;
  return {id.step, tensor.match->layer, id.call,
          id.role, record.position,     tensor.match->by_line ? tensor.match->index : ""};
}

std::optional<Pass> stand_in_of(const LogicalTensor& tensor) {
  for (const SetMatch& set : tensor.match->sets) {
    if (set.line->stand_in) return set.line->stand_in;
  }
  return std::nullopt;
}

}  // namespace

void LogicalSide::stand_in_for(const LogicalSide& other) {
  // Both passes of what is wanted.
  std::map<std::pair<Pass, Place>, Pass> wanted;
  for (const LogicalTensor& tensor : other.tensors_) {
    const Record& record = other.trace_.records[static_cast<std::size_t>(tensor.sources.front())];
    if (const auto from = stand_in_of(tensor); from && !tensor.stands_for)
      wanted.emplace(std::pair(*from, place_of(tensor, record)), record.id.pass);
  }
  const auto place = [this](const LogicalTensor& tensor) {
    return place_of(tensor, trace_.records[static_cast<std::size_t>(tensor.sources.front())]);
  };
  for (const LogicalTensor& tensor : tensors_) {
    if (const auto from = stand_in_of(tensor)) wanted.erase({*from, place(tensor)});
  }
  std::vector<LogicalTensor> added;
  for (const LogicalTensor& tensor : tensors_) {
    const Pass pass = trace_.records[static_cast<std::size_t>(tensor.sources.front())].id.pass;
    const auto found = wanted.find({pass, place(tensor)});
    if (found == wanted.end()) continue;
    added.push_back(tensor);
    added.back().stands_for = found->second;
  }
  tensors_.insert(tensors_.end(), added.begin(), added.end());
  sort();
}

void LogicalSide::name_layers() {
  std::map<std::string, std::set<std::string>> names;
  for (const LogicalTensor& tensor : tensors_) {
    const RecordId& id = trace_.records[static_cast<std::size_t>(tensor.sources.front())].id;
    const bool says = id.role == Role::output || id.role == Role::input;
    if (says && !tensor.is_left_out()) names[id.layer].insert(tensor.match->layer);
  }
  for (const auto& [layer, found] : names) {
    if (found.size() == 1) layers_[layer] = *found.begin();
  }
}

std::int64_t count_fitting(const TraceView& trace, const Relation& relation, RelationPart part) {
  std::int64_t count = 0;
  std::unordered_map<std::string, bool> known;
  for (const Record& record : trace.records) {
    const auto [place, added] = known.try_emplace(key_of(record.id), false);
    if (added) {
      place->second = std::ranges::any_of(relation.lines, [&](const RelationLine& line) {
        const std::optional<RecordPattern>& pattern = pattern_of(line, part);
        return pattern && fit(*pattern, record.id);
      });
    }
    count += place->second ? 1 : 0;
  }
  return count;
}

}  // namespace goldentrace
