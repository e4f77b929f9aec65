#include "diff/relation/label_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "diff/relation/candidate_forms.h"
#include "diff/relation/element_math.h"

namespace goldentrace {

namespace {

// Rounding of another order of operations stays far below, another tensor far above.
constexpr double alike = 0.02;
constexpr double none = std::numeric_limits<double>::infinity();

struct Label {
  std::string name;
  std::int64_t output = -1;
  std::vector<std::int64_t> inputs;
};

std::vector<Label> labels_of(const TraceView& trace) {
  std::vector<Label> labels;
  std::map<std::string, std::size_t> places;
  const RecordId* first = nullptr;
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const Record& record = trace.records[row];
    const RecordId& id = record.id;
    if (id.pass != Pass::forward || id.layer == root_layer) continue;
    if (!first) first = &id;
    if (id.step != first->step || id.micro != first->micro || id.rank != first->rank || id.call != 0) continue;
    const auto [place, added] = places.try_emplace(id.layer, labels.size());
    if (added) labels.push_back({id.layer, -1, {}});
    Label& label = labels[place->second];
    if (id.role == Role::output && label.output < 0) label.output = static_cast<std::int64_t>(row);
    if (id.role == Role::input) label.inputs.push_back(static_cast<std::int64_t>(row));
  }
  return labels;
}

struct Likeness {
  std::string form;
  double error = none;
};

class LabelSearch {
 public:
  LabelSearch(const TraceView& a, const TraceView& b, const WeightMatches& weights)
      : a_(a), b_(b), labels_a_(labels_of(a)), labels_b_(labels_of(b)), heads_(head_counts(a, b)) {
    for (const WeightMatch& match : weights.matches) {
      const std::string& of_a = record(a, weights.a[match.a].row).id.layer;
      const std::string& of_b = record(b, weights.b[match.b].row).id.layer;
      suggested_[of_a].insert(of_b);
      ++blocks_[block_of(of_a)][block_of(of_b)];
      if (record(a, weights.a[match.a].row).shape.size() == 1) biases_.push_back(weights.a[match.a].row);
    }
  }

  LabelMatches run() {
    LabelMatches result;
    std::set<std::string> found_b;
    for (const Label& label : labels_a_) {
      std::optional<LabelMatch> match = partner_of(label);
      if (!match) {
        result.only_a.push_back(label.name);
        continue;
      }
      found_b.insert(match->b);
      result.pairs.push_back(std::move(*match));
    }
    for (const Label& label : labels_b_) {
      if (!found_b.contains(label.name)) result.only_b.push_back(label.name);
    }
    return result;
  }

 private:
  static const Record& record(const TraceView& trace, std::int64_t row) {
    return trace.records[static_cast<std::size_t>(row)];
  }

  Likeness likeness(std::int64_t row_a, std::int64_t row_b) const {
    if (row_a < 0 || row_b < 0) return {};
    const Record& of_a = record(a_, row_a);
    const Record& of_b = record(b_, row_b);
    const bool same =
        of_a.shape == of_b.shape && of_a.dtype == of_b.dtype && of_a.fingerprint.hash == of_b.fingerprint.hash;
    if (same) return {"identity", 0};
    const double norm_a = of_a.fingerprint.statistics.l2;
    const double norm_b = of_b.fingerprint.statistics.l2;
    if (element_count(of_a.shape) != element_count(of_b.shape)) return {};
    if (std::abs(norm_a - norm_b) > alike * std::max(norm_a, norm_b)) return {};
    if (!a_.has_payload(row_a) || !b_.has_payload(row_b)) return {};
    Likeness best;
    for (const std::string& form : activation_forms(of_a.shape, heads_)) {
      const double error = form_error(a_, row_a, b_, row_b, form);
      if (error < best.error && error <= alike) best = {form, error};
    }
    return best;
  }

  // What likeness() does not find: entries that one side has more of, a bias that A adds in another label.
  Likeness distant_likeness(std::int64_t row_a, std::int64_t row_b) const {
    if (row_a < 0 || row_b < 0 || !a_.has_payload(row_a) || !b_.has_payload(row_b)) return {};
    const Shape& of_a = record(a_, row_a).shape;
    const Shape& of_b = record(b_, row_b).shape;
    if (of_a.size() != of_b.size() || of_a.size() < 2) return {};
    if (of_a.back() != of_b.back() && std::equal(of_a.begin(), of_a.end() - 1, of_b.begin())) {
      const bool longer = of_a.back() > of_b.back();
      const std::string cut = "slice(-1, 0, " + std::to_string(std::min(of_a.back(), of_b.back())) + ")";
      const double error = longer ? form_error(a_, row_a, b_, row_b, cut) : form_error(b_, row_b, a_, row_a, cut);
      return error <= alike ? Likeness{"common(-1)", error} : Likeness{};
    }
    return element_count(of_a) == element_count(of_b) ? biased_likeness(row_a, row_b) : Likeness{};
  }

  Likeness biased_likeness(std::int64_t row_a, std::int64_t row_b) const {
    const Record& of_a = record(a_, row_a);
    if (dtype_class(of_a.dtype) != DTypeClass::floating) return {};
    Likeness best;
    for (const std::int64_t bias : biases_) {
      const Record& added = record(a_, bias);
      const bool fits = added.shape.front() == of_a.shape.back() && added.dtype == of_a.dtype && a_.has_payload(bias);
      if (!fits || block_of(added.id.layer) != block_of(of_a.id.layer)) continue;
      std::vector<std::byte> sum = a_.payload(row_a);
      add_elements(sum, a_.payload(bias), of_a.dtype);
      for (const std::string& form : activation_forms(of_a.shape, heads_)) {
        const double error = form_error(of_a, sum, b_, row_b, form);
        if (error < best.error && error <= alike * alike)
          best = {"plus(" + added.id.layer + ", param, " + added.id.index + ") | " + form, error};
      }
    }
    return best;
  }

  bool may_hold(const std::string& a, const std::string& b) const {
    const auto found = blocks_.find(block_of(a));
    if (found == blocks_.end()) return block_of(a).empty() == block_of(b).empty();
    return found->second.contains(block_of(b));
  }

  bool is_suggested(const std::string& a, const std::string& b) const {
    const auto found = suggested_.find(a);
    return found != suggested_.end() && found->second.contains(b);
  }

  // Labels without weights carry on what others made: the first one that nothing else stands for.
  std::optional<LabelMatch> partner_of(const Label& label) {
    const Label* best = nullptr;
    Likeness best_likeness;
    std::tuple<bool, bool, bool, double> best_rank;
    for (const Label& other : labels_b_) {
      if (used_.contains(other.name) || !may_hold(label.name, other.name)) continue;
      const bool suggested = is_suggested(label.name, other.name);
      const Likeness found = likeness(label.output, other.output);
      if (found.error == none && !suggested) continue;
      // Like content, then what the weights say, then a label without weights for one without, then the nearest.
      const bool both_bare = !suggested_.contains(label.name) && !has_weights_b(other.name);
      const std::tuple rank(found.error == none, !suggested, !both_bare, found.error);
      if (best && !(rank < best_rank)) continue;
      best = &other;
      best_likeness = found;
      best_rank = rank;
    }
    if (!best) best = distant_partner_of(label, best_likeness);
    if (!best) return std::nullopt;
    used_.insert(best->name);
    if (best_likeness.error == none) best_likeness = distant_likeness(label.output, best->output);
    LabelMatch match{label.name, best->name, std::nullopt, {}};
    if (best_likeness.error != none) match.output_form = best_likeness.form;
    match_inputs(label, *best, match);
    return match;
  }

  // Labels around others for labels around others: an output that a bias makes alike leaves several of them.
  const Label* distant_partner_of(const Label& label, Likeness& likeness) const {
    const Label* best = nullptr;
    for (const Label& other : labels_b_) {
      if (used_.contains(other.name) || !may_hold(label.name, other.name)) continue;
      if (is_around(label, labels_a_) != is_around(other, labels_b_)) continue;
      const Likeness found = distant_likeness(label.output, other.output);
      if (!(found.error < likeness.error)) continue;
      likeness = found;
      best = &other;
    }
    return best;
  }

  static bool is_around(const Label& label, const std::vector<Label>& labels) {
    return std::ranges::any_of(labels, [&](const Label& inner) { return inner.name.starts_with(label.name + "."); });
  }

  bool has_weights_b(const std::string& name) const {
    return std::ranges::any_of(suggested_, [&](const auto& each) { return each.second.contains(name); });
  }

  void match_inputs(const Label& label, const Label& other, LabelMatch& match) const {
    std::set<std::int64_t> used;
    for (const std::int64_t row : label.inputs) {
      std::int64_t partner = -1;
      Likeness best;
      for (const bool distant : {false, true}) {
        if (best.error != none) break;
        for (const std::int64_t candidate : other.inputs) {
          if (used.contains(candidate)) continue;
          const Likeness found = distant ? distant_likeness(row, candidate) : likeness(row, candidate);
          if (found.error < best.error) {
            best = found;
            partner = candidate;
          }
        }
      }
      InputMatch input{record(a_, row).id.index, "", std::nullopt};
      if (partner >= 0) {
        used.insert(partner);
        input.index_b = record(b_, partner).id.index;
        input.form = best.form;
      }
      match.inputs.push_back(std::move(input));
    }
  }

  const TraceView& a_;
  const TraceView& b_;
  std::vector<Label> labels_a_, labels_b_;
  std::vector<std::int64_t> heads_;
  std::vector<std::int64_t> biases_;  // rows of A's matched weights of one axis
  std::map<std::string, std::set<std::string>> suggested_;
  std::map<std::string, std::map<std::string, std::int64_t>> blocks_;
  std::set<std::string> used_;
};

}  // namespace

LabelMatches match_labels(const TraceView& a, const TraceView& b, const WeightMatches& weights) {
  return LabelSearch(a, b, weights).run();
}

}  // namespace goldentrace
