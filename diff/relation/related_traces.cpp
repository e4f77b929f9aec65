#include "diff/relation/related_traces.h"

#include <algorithm>
#include <map>
#include <utility>

#include "diff/number.h"
#include "diff/relation/copies.h"
#include "diff/relation/element_math.h"
#include "diff/relation/related_side.h"
#include "traces/error.h"

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

std::vector<RelationRole> roles_of_a(const TraceView& a, const TraceView& b, const RelationSets& sets) {
  std::vector<RelationRole> roles;
  for (const auto& relation : sets) {
    const RelationPart part = part_of_a(a, b, *relation);
    roles.push_back({relation.get(), part, part});
  }
  return roles;
}

std::vector<RelationRole> opposite(std::vector<RelationRole> roles) {
  for (RelationRole& role : roles) role.part = role.part == RelationPart::a ? RelationPart::b : RelationPart::a;
  return roles;
}

}  // namespace

class RelatedTraces::State {
 public:
  State(const TraceView& a, const TraceView& b, const RelationSets& sets, const PositionChoice& positions)
      : positions_(positions),
        roles_a_(roles_of_a(a, b, sets)),
        roles_b_(opposite(roles_a_)),
        logical_a_(a, b, roles_a_),
        logical_b_(b, a, roles_b_),
        a_(a, b, standing_in(logical_a_, logical_b_)),
        b_(b, a, standing_in(logical_b_, logical_a_)) {
    check_lines_take_records(both());
    alignment_ = align(a_.records(), b_.records(), {a_.left_out(), b_.left_out()});
    for (const RecordPair& pair : alignment_.pairs) plan(pair);
    check_forms_fit(both(), fits_);
    number_pairs();
    for (const RecordPair& pair : alignment_.pairs) mask(pair);
    choose_positions();
    a_.finish();
    b_.finish();
    for (const RelatedSide* side : {&a_, &b_}) {
      for (const UnequalCopy& each : check_copies(side->logical()).unequal)
        unequal_copies_.push_back(side->logical().trace().records[static_cast<std::size_t>(each.row)].id);
    }
  }

  const RelatedSide& a() const { return a_; }
  const RelatedSide& b() const { return b_; }
  const Alignment& alignment() const { return alignment_; }
  const std::vector<RecordId>& unequal_copies() const { return unequal_copies_; }

  std::string sides() const {
    for (const RelationRole& role : roles_a_) {
      const Relation& relation = *role.relation;
      const RelationSide& of_a = role.part == RelationPart::a ? relation.a : relation.b;
      const RelationSide& of_b = role.part == RelationPart::a ? relation.b : relation.a;
      if (!of_a.name.empty() && !of_b.name.empty()) return "A is " + of_a.name + ", B is " + of_b.name;
    }
    return "";
  }

  std::vector<UsedLine> used() const { return used_lines(both()); }

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
    return a_.logical().tensors()[static_cast<std::size_t>(pair.a)].match->line();
  }

  static const LogicalSide& standing_in(LogicalSide& side, const LogicalSide& other) {
    side.stand_in_for(other);
    return side;
  }

  BothSides both() const { return {a_, roles_a_, b_, roles_b_}; }

  void plan(const RecordPair& pair) {
    bool made_a = a_.make_plan(pair.a, std::nullopt);
    bool made_b = b_.make_plan(pair.b, std::nullopt);
    if (made_a && made_b) cut_to_common(pair);
    for (const auto& [side, row] : {std::pair(&a_, pair.a), std::pair(&b_, pair.b)}) {
      for (const SetMatch& set : side->logical().tensors()[static_cast<std::size_t>(row)].match->sets) {
        FormFit& fit = fits_[set.line];
        if (made_a && made_b) {
          ++fit.fitting;
        } else if (fit.misfit.empty()) {
          fit.misfit = made_a ? b_.misfit(pair.b) : a_.misfit(pair.a);
        }
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

  // The logical rows whose zeros are the masked entries of this pair.
  void mask(const RecordPair& pair) {
    const RelationLine* known = line(pair);
    if (!known || !known->unmasked) return;
    const auto& sets = a_.logical().tensors()[static_cast<std::size_t>(pair.a)].match->sets;
    const RelatedSide& named = sets.back().role->part == RelationPart::a ? a_ : b_;
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
    if (tensor.match->sets.empty()) return -1;
    for (const std::int64_t each : side.rows_of(layer.expand(tensor.match->sets.back().captures), Role::output)) {
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

  const PositionChoice& positions_;
  std::vector<RelationRole> roles_a_, roles_b_;
  LogicalSide logical_a_, logical_b_;
  RelatedSide a_;
  RelatedSide b_;
  Alignment alignment_;
  FormFits fits_;
  std::vector<RecordId> unequal_copies_;
  std::vector<std::int64_t> pair_of_a_, pair_of_b_;  // per row, -1: none
};

RelatedTraces::RelatedTraces(const TraceView& a, const TraceView& b, const RelationSets& sets,
                             const PositionChoice& positions)
    : state_(std::make_unique<State>(a, b, sets, positions)) {}
RelatedTraces::~RelatedTraces() = default;

const TraceView& RelatedTraces::a() const { return state_->a().view(); }
const TraceView& RelatedTraces::b() const { return state_->b().view(); }
const Alignment& RelatedTraces::alignment() const { return state_->alignment(); }
std::string RelatedTraces::sides() const { return state_->sides(); }
std::vector<UsedLine> RelatedTraces::used() const { return state_->used(); }
std::vector<LeftOutRecord> RelatedTraces::left_out() const { return state_->left_out(); }
std::vector<PartialPair> RelatedTraces::partial() const { return state_->partial(); }
const std::vector<RecordId>& RelatedTraces::unequal_copies() const { return state_->unequal_copies(); }

}  // namespace goldentrace
