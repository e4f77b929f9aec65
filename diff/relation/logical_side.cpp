#include "diff/relation/logical_side.h"

#include <algorithm>
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
  return holds(line.when_a, is_a ? own : others) && holds(line.when_b, is_a ? others : own);
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

std::string key_of(const RecordId& id) {
  return id.layer + '\n' + id.index + '\n' + std::to_string(static_cast<int>(id.pass) * 16 + static_cast<int>(id.role));
}

}  // namespace

LogicalSide::LogicalSide(const TraceView& trace, const TraceView& other, const Relation& relation, RelationPart part,
                         RelationPart named)
    : trace_(trace), relation_(relation), part_(part), named_(named) {
  for (auto line = relation.lines.rbegin(); line != relation.lines.rend(); ++line) {
    if (pattern_of(*line, part) && conditions_hold(*line, trace, other, part)) lines_.push_back(&*line);
  }
  collect();
  name_layers();
}

const Form& LogicalSide::form(const LogicalTensor& tensor) const {
  static const Form as_it_is;
  if (!tensor.match.line || tensor.is_left_out()) return as_it_is;
  return part_ == RelationPart::a ? tensor.match.line->form_a : tensor.match.line->form_b;
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

LineMatch LogicalSide::match(const Record& record) const {
  for (const RelationLine* line : lines_) {
    const RecordPattern& own = *pattern_of(*line, part_);
    std::optional<Fit> found = fit(own, record.id);
    if (!found || (own.from && !comes_from(record, *own.from, found->layer))) continue;
    LineMatch result{line, std::move(found->layer), record.id.layer, record.id.index, line->names_records()};
    const std::optional<RecordPattern>& target = pattern_of(*line, named_);
    if (!target || named_ == part_) return result;
    result.layer = target->layer.expand(result.captures);
    if (target->index) result.index = target->index->expand(found->index);
    return result;
  }
  return {nullptr, {}, record.id.layer, record.id.index, false};
}

const LineMatch& LogicalSide::known_match(const Record& record) {
  const auto [place, added] = known_.try_emplace(key_of(record.id));
  if (added) place->second = match(record);
  return place->second;
}

void LogicalSide::collect() {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int32_t, Pass, std::string, std::int32_t, Role, std::string,
                         std::int32_t, bool>;
  std::map<Key, std::size_t> open;
  for (std::size_t row = 0; row < trace_.records.size(); ++row) {
    const Record& record = trace_.records[row];
    LogicalTensor tensor{{static_cast<std::int64_t>(row)}, known_match(record)};
    if (tensor.match.line) ++uses_[tensor.match.line];
    const Form& form = this->form(tensor);
    const bool over_micro = form.combines_over(Dimension::micro);
    const bool over_rank = form.combines_over(Dimension::rank);
    if (!over_micro && !over_rank) {
      tensors_.push_back(std::move(tensor));
      continue;
    }
    const RecordId& id = record.id;
    const Key key{
        id.step, over_micro ? 0 : id.micro, over_rank ? 0 : id.rank, id.pass,        tensor.match.layer, id.call,
        id.role, tensor.match.index,        record.position,         record.declared};
    const auto [place, added] = open.try_emplace(key, tensors_.size());
    if (added) {
      tensors_.push_back(std::move(tensor));
    } else {
      tensors_[place->second].sources.push_back(static_cast<std::int64_t>(row));
    }
  }
  for (LogicalTensor& tensor : tensors_) {
    std::ranges::stable_sort(tensor.sources, {}, [this](std::int64_t row) {
      const RecordId& id = trace_.records[static_cast<std::size_t>(row)].id;
      return std::pair(id.micro, id.rank);
    });
  }
  std::ranges::stable_sort(tensors_, {}, [](const LogicalTensor& tensor) { return std::ranges::max(tensor.sources); });
}

void LogicalSide::name_layers() {
  std::map<std::string, std::set<std::string>> names;
  for (const LogicalTensor& tensor : tensors_) {
    const RecordId& id = trace_.records[static_cast<std::size_t>(tensor.sources.front())].id;
    const bool says = id.role == Role::output || id.role == Role::input;
    if (says && !tensor.is_left_out()) names[id.layer].insert(tensor.match.layer);
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
