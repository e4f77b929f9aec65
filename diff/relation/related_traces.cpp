#include "diff/relation/related_traces.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "diff/number.h"
#include "diff/relation/element_math.h"
#include "diff/relation/related_side.h"
#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {

namespace {

bool fits(const TraceView& a, const TraceView& b, const Relation& relation) {
  static const Header empty;
  return holds(relation.a.header, a.header ? *a.header : empty) &&
         holds(relation.b.header, b.header ? *b.header : empty);
}

// Which part of the relation trace A takes.
RelationPart part_of_a(const TraceView& a, const TraceView& b, const Relation& relation) {
  if (fits(a, b, relation)) return RelationPart::a;
  if (fits(b, a, relation)) return RelationPart::b;
  const auto taken = [&](const TraceView& first, const TraceView& second) {
    return count_fitting(first, relation, RelationPart::a) + count_fitting(second, relation, RelationPart::b);
  };
  return taken(b, a) > taken(a, b) ? RelationPart::b : RelationPart::a;
}

// "layers.3.mlp" as patterns are written: "layers.{i}.mlp".
std::string with_captures(const std::string& layer, const NamePattern& pattern) {
  if (pattern.text().find('{') == std::string::npos) return layer;
  std::string result;
  for (std::size_t begin = 0; begin <= layer.size();) {
    const std::size_t end = std::min(layer.size(), layer.find('.', begin));
    const std::string part = layer.substr(begin, end - begin);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    result += (begin == 0 ? "" : ".") + (number ? std::string("{i}") : part);
    begin = end + 1;
  }
  return result;
}

RelationPart other(RelationPart part) { return part == RelationPart::a ? RelationPart::b : RelationPart::a; }

}  // namespace

class RelatedTraces::State {
 public:
  State(const TraceView& a, const TraceView& b, const Relation& relation, const PositionChoice& positions)
      : relation_(relation),
        positions_(positions),
        part_(part_of_a(a, b, relation)),
        a_(a, b, relation, part_, part_),
        b_(b, a, relation, other(part_), part_) {
    if (!relation.is_built_in()) check_use();
    align_records();
    for (const RecordPair& pair : alignment_.pairs) plan(pair);
    if (!relation.is_built_in()) check_forms();
    number_pairs();
    for (const RecordPair& pair : alignment_.pairs) mask(pair);
    choose_positions();
    a_.finish();
    b_.finish();
    find_copies(a_);
    find_copies(b_);
  }

  const RelatedSide& a() const { return a_; }
  const RelatedSide& b() const { return b_; }
  const Alignment& alignment() const { return alignment_; }
  const std::vector<RecordId>& unequal_copies() const { return unequal_copies_; }

  std::string sides() const {
    const RelationSide& of_a = part_ == RelationPart::a ? relation_.a : relation_.b;
    const RelationSide& of_b = part_ == RelationPart::a ? relation_.b : relation_.a;
    return of_a.name.empty() || of_b.name.empty() ? "" : "A is " + of_a.name + ", B is " + of_b.name;
  }

  std::vector<LeftOutRecord> left_out() const {
    std::vector<LeftOutRecord> result;
    for (const LeftOut& each : alignment_.left_out) {
      const RelatedSide& side = each.side == Side::a ? a_ : b_;
      result.push_back({each.side, side.recorded_id(each.row), side.reason(each.row)});
    }
    return result;
  }

  std::vector<PartialPair> partial() const {
    std::vector<PartialPair> result;
    for (const RecordPair& pair : alignment_.pairs) {
      const std::string text = partial_text(pair);
      if (!text.empty()) result.push_back({a_.records()[static_cast<std::size_t>(pair.a)].id, text});
    }
    return result;
  }

 private:
  const RelationLine* line(const RecordPair& pair) const {
    return a_.logical().tensors()[static_cast<std::size_t>(pair.a)].match.line;
  }

  void align_records() { alignment_ = align(a_.records(), b_.records(), {a_.left_out(), b_.left_out()}); }

  RelatedSide& side_of(RelationPart part) { return part == part_ ? a_ : b_; }

  void check_use() const {
    for (const RelationLine& line : relation_.lines) {
      if (line.a) check_use(line, part_ == RelationPart::a ? a_ : b_, *line.a);
      if (line.b) check_use(line, part_ == RelationPart::a ? b_ : a_, *line.b);
    }
  }

  void check_use(const RelationLine& line, const RelatedSide& side, const RecordPattern& pattern) const {
    if (side.logical().uses().contains(&line) || !line.when_a.empty() || !line.when_b.empty()) return;
    std::set<std::string> layers;
    bool layer_is_there = false;
    for (const Record& record : side.records()) {
      const std::string& layer = side.recorded(&record - side.records().data()).id.layer;
      layer_is_there = layer_is_there || pattern.layer.match(layer);
      layers.insert(with_captures(layer, pattern.layer));
    }
    const std::string trace = side.view().path.string();
    if (layer_is_there)
      refuse(line, "takes no record of " + trace + ": no record of '" + pattern.layer.text() +
                       "' has the role, pass or index that it asks for, or later lines take them all");
    const std::vector<std::string> names(layers.begin(), layers.end());
    refuse(line, "takes no record of " + trace + ": " + unknown_name("layer", pattern.layer.text(), names));
  }

  [[noreturn]] void refuse(const RelationLine& line, const std::string& what) const {
    throw Error(ErrorCode::usage, "line " + std::to_string(line.line) + " " + what, {relation_.path.string(), ""});
  }

  void plan(const RecordPair& pair) {
    bool made_a = a_.make_plan(pair.a, std::nullopt);
    bool made_b = b_.make_plan(pair.b, std::nullopt);
    if (made_a && made_b) cut_to_common(pair);
    if (const RelationLine* known = line(pair)) {
      auto& [fitting, misfit] = fits_[known];
      if (made_a && made_b) {
        ++fitting;
      } else if (misfit.empty()) {
        misfit = made_a ? b_.misfit(pair.b) : a_.misfit(pair.a);
      }
    }
  }

  static std::int64_t axis_size(const RelatedSide& side, std::int64_t row, std::int64_t axis) {
    const FormPlan* plan = side.plan(row);
    const Shape& shape = plan ? plan->shape() : side.records()[static_cast<std::size_t>(row)].shape;
    return axis < static_cast<std::int64_t>(shape.size()) ? shape[static_cast<std::size_t>(axis)] : -1;
  }

  // Both sides keep the entries of the axis that the shorter one has.
  void cut_to_common(const RecordPair& pair) {
    const FormPlan* of_a = a_.plan(pair.a);
    const FormPlan* of_b = b_.plan(pair.b);
    const std::int64_t axis = std::max(of_a ? of_a->common_axis() : -1, of_b ? of_b->common_axis() : -1);
    if (axis < 0) return;
    const std::int64_t size_a = axis_size(a_, pair.a, axis);
    const std::int64_t size_b = axis_size(b_, pair.b, axis);
    if (size_a < 0 || size_b < 0 || size_a == size_b) return;
    if (of_a && of_a->common_axis() >= 0) a_.make_plan(pair.a, std::min(size_a, size_b));
    if (of_b && of_b->common_axis() >= 0) b_.make_plan(pair.b, std::min(size_a, size_b));
  }

  void check_forms() const {
    for (const auto& [line, found] : fits_) {
      if (found.first == 0 && !found.second.empty()) refuse(*line, found.second);
    }
  }

  // The logical rows whose zeros are the masked entries of this pair.
  void mask(const RecordPair& pair) {
    const RelationLine* known = line(pair);
    if (!known || !known->unmasked) return;
    RelatedSide& named = side_of(RelationPart::a);
    const std::int64_t row = &named == &a_ ? pair.a : pair.b;
    const std::int64_t probs = find_mask(named, row, *known->unmasked);
    if (probs < 0) return;
    const std::int64_t found = (&named == &a_ ? pair_of_a_ : pair_of_b_)[static_cast<std::size_t>(probs)];
    if (found < 0) return;
    const RecordPair rows = alignment_.pairs[static_cast<std::size_t>(found)];
    if (shape_of(a_, rows.a) != shape_of(a_, pair.a)) return;
    const auto keep = [this, rows] { return kept(rows); };
    a_.add_mask(pair.a, {keep, "unmasked entries"});
    b_.add_mask(pair.b, {keep, "unmasked entries"});
  }

  static const Shape& shape_of(const RelatedSide& side, std::int64_t row) {
    return side.plan(row) ? side.plan(row)->shape() : side.records()[static_cast<std::size_t>(row)].shape;
  }

  void number_pairs() {
    pair_of_a_.assign(a_.records().size(), -1);
    pair_of_b_.assign(b_.records().size(), -1);
    for (std::size_t pair = 0; pair < alignment_.pairs.size(); ++pair) {
      pair_of_a_[static_cast<std::size_t>(alignment_.pairs[pair].a)] = static_cast<std::int64_t>(pair);
      pair_of_b_[static_cast<std::size_t>(alignment_.pairs[pair].b)] = static_cast<std::int64_t>(pair);
    }
  }

  // What was asked of samples and positions, beside the relation.
  void choose_positions() {
    if (positions_.sample) take_samples();
    if (!positions_.mask.empty()) mask_positions();
  }

  // The first axis of the declared inputs.
  static std::int64_t batch_of(const RelatedSide& side) {
    for (const Record& record : side.records()) {
      if (record.declared && !record.shape.empty()) return record.shape.front();
    }
    throw Error(ErrorCode::incomparable,
                "no sample can be chosen: " + side.view().path.string() + " declares no input");
  }

  void take_samples() {
    const std::int64_t batch_a = batch_of(a_);
    const std::int64_t batch_b = batch_of(b_);
    const auto [at_a, at_b] = *positions_.sample;
    if (at_a >= batch_a || at_b >= batch_b) {
      throw Error(ErrorCode::usage, "sample " + std::to_string(at_a) + ":" + std::to_string(at_b) + " of batches of " +
                                        std::to_string(batch_a) + " and " + std::to_string(batch_b));
    }
    std::vector<RecordPair> kept;
    for (const RecordPair& pair : alignment_.pairs) {
      const RecordId& id = a_.records()[static_cast<std::size_t>(pair.a)].id;
      const bool stored = id.role == Role::param || id.role == Role::buffer;
      const bool forward = id.pass == Pass::forward || id.pass == Pass::recompute;
      if (!forward || id.role == Role::loss || id.layer == loss_layer) {
        leave_out(pair, "it depends on the whole batch");
        continue;
      }
      const Shape& of_a = shape_of(a_, pair.a);
      const Shape& of_b = shape_of(b_, pair.b);
      if (!stored && !of_a.empty() && !of_b.empty() && of_a.front() == batch_a && of_b.front() == batch_b) {
        a_.take_sample(pair.a, at_a);
        b_.take_sample(pair.b, at_b);
      }
      kept.push_back(pair);
    }
    alignment_.pairs = std::move(kept);
  }

  void leave_out(const RecordPair& pair, const std::string& reason) {
    a_.leave_out(pair.a, reason);
    b_.leave_out(pair.b, reason);
    alignment_.left_out.push_back({Side::a, pair.a});
    alignment_.left_out.push_back({Side::b, pair.b});
  }

  void mask_positions() {
    bool any = false;
    for (const RecordPair& pair : alignment_.pairs) any = mask_positions(pair) || any;
    if (any) return;
    throw Error(ErrorCode::usage,
                "no tensor has " + std::to_string(positions_.shape.front()) + " samples of " +
                    std::to_string(positions_.shape.back()) + " positions",
                {positions_.name, ""});
  }

  // Whether samples come first in it, which is what a mask that was turned round fits nowhere.
  bool mask_positions(const RecordPair& pair) {
    const Role role = a_.records()[static_cast<std::size_t>(pair.a)].id.role;
    if (role == Role::param || role == Role::param_grad || role == Role::buffer || role == Role::loss) return false;
    const Shape shape = shape_of(a_, pair.a);
    const PositionAxes axes = positions_.axes_of(shape);
    if (axes.positions.empty() || shape != shape_of(b_, pair.b)) return false;
    const KeptEntries entries{[this, shape, axes] { return positions_.entries(shape, axes); }, positions_.text()};
    a_.add_mask(pair.a, entries);
    b_.add_mask(pair.b, entries);
    return axes.batch == 0;
  }

  static std::int64_t find_mask(const RelatedSide& side, std::int64_t row, const NamePattern& layer) {
    const LogicalTensor& tensor = side.logical().tensors()[static_cast<std::size_t>(row)];
    const RecordId& id = side.recorded_id(row);
    for (const std::int64_t each : side.rows_of(layer.expand(tensor.match.captures), Role::output)) {
      const RecordId& other = side.recorded_id(side.row_of(each));
      const bool beside = other.step == id.step && other.micro == id.micro && other.rank == id.rank &&
                          other.pass != Pass::recompute && other.call == id.call;
      if (beside) return side.row_of(each);
    }
    return -1;
  }

  std::vector<std::byte> kept(const RecordPair& rows) const {
    const auto of = [](const RelatedSide& side, std::int64_t row) {
      return nonzero_elements(side.view().payload(row), side.records()[static_cast<std::size_t>(row)].dtype);
    };
    std::vector<std::byte> result = of(a_, rows.a);
    const std::vector<std::byte> others = of(b_, rows.b);
    for (std::size_t i = 0; i < std::min(result.size(), others.size()); ++i) result[i] |= others[i];
    return result;
  }

  std::string partial_text(const RecordPair& pair) const {
    for (const auto& [side, row] : {std::pair(&a_, pair.a), std::pair(&b_, pair.b)}) {
      const FormPlan* plan = side->plan(row);
      if (!plan || plan->common_axis() < 0) continue;
      const std::int64_t kept = plan->shape()[static_cast<std::size_t>(plan->common_axis())];
      if (kept == plan->whole_axis()) continue;
      const std::string note = line(pair) ? line(pair)->note : "";
      return std::to_string(kept) + " of " + std::to_string(plan->whole_axis()) + " entries of axis " +
             std::to_string(plan->common_axis()) + (note.empty() ? "" : " (" + note + ")");
    }
    return "";
  }

  void find_copies(const RelatedSide& side) {
    for (const LogicalTensor& tensor : side.logical().tensors()) {
      const auto is_copy = [](const FormStep& step) { return step.word == FormWord::replicated; };
      if (std::ranges::none_of(side.logical().form(tensor).steps(), is_copy)) continue;
      const auto& records = side.logical().trace().records;
      const Hash128& first = records[static_cast<std::size_t>(tensor.sources.front())].fingerprint.hash;
      for (const std::int64_t row : tensor.sources) {
        const Record& record = records[static_cast<std::size_t>(row)];
        if (record.fingerprint.hash != first) unequal_copies_.push_back(record.id);
      }
    }
  }

  const Relation& relation_;
  const PositionChoice& positions_;
  RelationPart part_;
  RelatedSide a_;
  RelatedSide b_;
  Alignment alignment_;
  std::map<const RelationLine*, std::pair<std::int64_t, std::string>> fits_;
  std::vector<RecordId> unequal_copies_;
  std::vector<std::int64_t> pair_of_a_, pair_of_b_;  // per row, -1: none
};

RelatedTraces::RelatedTraces(const TraceView& a, const TraceView& b, const Relation& relation,
                             const PositionChoice& positions)
    : state_(std::make_unique<State>(a, b, relation, positions)) {}
RelatedTraces::~RelatedTraces() = default;

const TraceView& RelatedTraces::a() const { return state_->a().view(); }
const TraceView& RelatedTraces::b() const { return state_->b().view(); }
const Alignment& RelatedTraces::alignment() const { return state_->alignment(); }
std::string RelatedTraces::sides() const { return state_->sides(); }
std::vector<LeftOutRecord> RelatedTraces::left_out() const { return state_->left_out(); }
std::vector<PartialPair> RelatedTraces::partial() const { return state_->partial(); }
const std::vector<RecordId>& RelatedTraces::unequal_copies() const { return state_->unequal_copies(); }

}  // namespace goldentrace
