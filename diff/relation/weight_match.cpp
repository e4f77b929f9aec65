#include "diff/relation/weight_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "diff/call_index.h"
#include "diff/relation/candidate_forms.h"
#include "diff/relation/form_plan.h"
#include "kernels/compare.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

using ContentKey = std::tuple<DType, Shape, Hash128>;

const Record& record_of(const TraceView& trace, std::int64_t row) {
  return trace.records[static_cast<std::size_t>(row)];
}

FormPlan plan_of(const Record& record, const std::string& form) {
  return FormPlan(Form(form), {{0, {}, record.dtype, record.shape}}, {});
}

// Nothing where the form does not fit.
std::optional<std::pair<Shape, std::vector<std::byte>>> formed(const Record& record,
                                                               const std::vector<std::byte>& bytes,
                                                               const std::string& form) {
  try {
    const FormPlan plan = plan_of(record, form);
    return std::pair(plan.shape(), plan.apply([&](std::int64_t) { return bytes; }));
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct Candidate {
  std::size_t b;
  std::string form;
};

class WeightSearch {
 public:
  // `from` has the payload.
  WeightSearch(const TraceView& from, const TraceView& to, const std::vector<WeightRecord>& list_from,
               const std::vector<WeightRecord>& list_to)
      : from_(from),
        to_(to),
        list_from_(list_from),
        list_to_(list_to),
        heads_(head_counts(from, to)),
        candidates_(list_from.size()),
        used_from_(list_from.size(), 0),
        used_to_(list_to.size(), 0) {}

  std::vector<WeightMatch> run() {
    collect();
    take_unique();
    take_by_block();
    for (std::size_t i = 0; i < list_from_.size(); ++i) {
      if (!used_from_[i]) take_common(i);
    }
    for (std::size_t i = 0; i < list_from_.size(); ++i) {
      if (!used_from_[i]) take_closest(i);
    }
    std::ranges::sort(matches_, {}, &WeightMatch::a);
    return std::move(matches_);
  }

 private:
  const Record& from(std::size_t i) const { return record_of(from_, list_from_[i].row); }
  const Record& to(std::size_t i) const { return record_of(to_, list_to_[i].row); }

  void collect() {
    std::map<ContentKey, std::vector<std::size_t>> known;
    for (std::size_t i = 0; i < list_to_.size(); ++i) {
      known[{to(i).dtype, to(i).shape, to(i).fingerprint.hash}].push_back(i);
    }
    for (std::size_t i = 0; i < list_from_.size(); ++i) {
      if (!from_.has_payload(list_from_[i].row)) continue;
      const std::vector<std::byte> bytes = from_.payload(list_from_[i].row);
      for (const auto& [form, words] : weight_forms(from(i).shape, heads_)) {
        const auto made = formed(from(i), bytes, form);
        if (!made) continue;
        const auto found = known.find({from(i).dtype, made->first, content_hash(made->second)});
        if (found != known.end()) add(i, found->second, form);
      }
    }
  }

  void add(std::size_t i, const std::vector<std::size_t>& partners, const std::string& form) {
    for (const std::size_t partner : partners) {
      const bool is_known =
          std::ranges::any_of(candidates_[i], [&](const Candidate& each) { return each.b == partner; });
      if (!is_known) candidates_[i].push_back({partner, form});
    }
  }

  void take(std::size_t i, std::size_t partner, const std::string& form, double error, bool common = false) {
    used_from_[i] = used_to_[partner] = 1;
    matches_.push_back({i, partner, form, error, common});
    ++blocks_[block_of(from(i).id.layer)][block_of(to(partner).id.layer)];
    ++layers_[from(i).id.layer][to(partner).id.layer];
  }

  void take_unique() {
    std::vector<int> wanted(list_to_.size(), 0);
    for (const auto& each : candidates_) {
      for (const Candidate& candidate : each) ++wanted[candidate.b];
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const bool unique = candidates_[i].size() == 1 && wanted[candidates_[i][0].b] == 1;
      if (unique) take(i, candidates_[i][0].b, candidates_[i][0].form, 0);
    }
  }

  static std::int64_t votes(const std::map<std::string, std::map<std::string, std::int64_t>>& known,
                            const std::string& from, const std::string& to) {
    const auto found = known.find(from);
    if (found == known.end()) return 0;
    const auto vote = found->second.find(to);
    return vote == found->second.end() ? 0 : vote->second;
  }

  // What other weights say of the layer and its block, the name, and the order of use.
  std::tuple<std::int64_t, std::int64_t, bool> rank(std::size_t i, std::size_t partner) const {
    const RecordId& id = from(i).id;
    const RecordId& other = to(partner).id;
    return {votes(layers_, id.layer, other.layer), votes(blocks_, block_of(id.layer), block_of(other.layer)),
            id.index == other.index};
  }

  // A block that other weights sent elsewhere.
  bool is_contradicted(std::size_t i, std::size_t partner) const {
    const auto found = blocks_.find(block_of(from(i).id.layer));
    return found != blocks_.end() && votes(blocks_, found->first, block_of(to(partner).id.layer)) == 0;
  }

  void take_by_block() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (used_from_[i]) continue;
      const Candidate* best = nullptr;
      for (const Candidate& each : candidates_[i]) {
        if (used_to_[each.b] || is_contradicted(i, each.b)) continue;
        if (!best || rank(i, each.b) > rank(i, best->b)) best = &each;
      }
      if (best) take(i, best->b, best->form, 0);
    }
  }

  // A padded vocabulary: the rows that both have are equal.
  void take_common(std::size_t i) {
    for (std::size_t j = 0; j < list_to_.size(); ++j) {
      const Shape& one = from(i).shape;
      const Shape& two = to(j).shape;
      const bool alike = !used_to_[j] && one.size() == 2 && two.size() == 2 && one[1] == two[1] && one[0] != two[0] &&
                         from(i).dtype == to(j).dtype;
      if (!alike || !from_.has_payload(list_from_[i].row) || !to_.has_payload(list_to_[j].row)) continue;
      const std::vector<std::byte> bytes = from_.payload(list_from_[i].row);
      const std::vector<std::byte> others = to_.payload(list_to_[j].row);
      const std::size_t both = std::min(bytes.size(), others.size());
      if (both > 0 && std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(both), others.begin())) {
        return take(i, j, "common(0)", 0, true);
      }
    }
  }

  void take_closest(std::size_t i) {
    constexpr double nearest = 0.2;
    std::size_t best = list_to_.size();
    std::string best_form;
    double least = nearest;
    for (std::size_t j = 0; j < list_to_.size(); ++j) {
      if (used_to_[j] || !is_similar(from(i), to(j)) || is_contradicted(i, j)) continue;
      if (!from_.has_payload(list_from_[i].row) || !to_.has_payload(list_to_[j].row)) continue;
      for (const auto& [form, words] : weight_forms(from(i).shape, heads_)) {
        const double error = form_error(from_, list_from_[i].row, to_, list_to_[j].row, form);
        if (error >= least) continue;
        least = error;
        best = j;
        best_form = form;
      }
    }
    if (best < list_to_.size()) take(i, best, best_form, least);
  }

  static bool is_similar(const Record& one, const Record& two) {
    const double a = one.fingerprint.statistics.l2;
    const double b = two.fingerprint.statistics.l2;
    return element_count(one.shape) == element_count(two.shape) && std::abs(a - b) <= 0.25 * std::max(a, b);
  }

  const TraceView& from_;
  const TraceView& to_;
  const std::vector<WeightRecord>& list_from_;
  const std::vector<WeightRecord>& list_to_;
  std::vector<std::int64_t> heads_;
  std::vector<std::vector<Candidate>> candidates_;
  std::vector<std::uint8_t> used_from_, used_to_;
  std::map<std::string, std::map<std::string, std::int64_t>> blocks_, layers_;
  std::vector<WeightMatch> matches_;
};

bool is_same_name(const RecordId& outer, const RecordId& inner) {
  const std::string full = inner.layer + "." + inner.index;
  return outer.layer + "." + outer.index == full || full.ends_with("." + outer.index) ||
         outer.index.ends_with("." + inner.index);
}

}  // namespace

std::string block_of(const std::string& layer) {
  for (std::size_t begin = 0; begin < layer.size();) {
    const std::size_t end = std::min(layer.size(), layer.find('.', begin));
    const std::string part = layer.substr(begin, end - begin);
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos) return layer.substr(0, end);
    begin = end + 1;
  }
  return "";
}

std::vector<WeightRecord> weights_of(const TraceView& trace) {
  const CallIndex calls(trace.calls);
  std::vector<WeightRecord> result;
  std::map<Hash128, std::vector<std::size_t>> by_content;
  const RecordId* first = nullptr;
  for (std::size_t row = 0; row < trace.records.size(); ++row) {
    const Record& record = trace.records[row];
    const RecordId& id = record.id;
    if (id.role != Role::param || id.pass != Pass::forward) continue;
    if (!first) first = &id;
    if (id.step != first->step || id.micro != first->micro || id.rank != first->rank || id.call != 0) continue;
    const auto number = static_cast<std::int64_t>(row);
    auto& same = by_content[record.fingerprint.hash];
    bool placed = false;
    for (const std::size_t at : same) {
      const RecordId& other = record_of(trace, result[at].row).id;
      if (calls.encloses(other, id) && is_same_name(other, id)) {
        result[at].around.push_back(result[at].row);
        result[at].row = number;
        placed = true;
      } else if (calls.encloses(id, other) && is_same_name(id, other)) {
        result[at].around.push_back(number);
        placed = true;
      }
      if (placed) break;
    }
    if (placed) continue;
    same.push_back(result.size());
    result.push_back({number, {}});
  }
  return result;
}

WeightMatches match_weights(const TraceView& a, const TraceView& b) {
  WeightMatches result{weights_of(a), weights_of(b), {}, true};
  const auto has_payload = [](const TraceView& trace, const std::vector<WeightRecord>& list) {
    return !list.empty() && trace.has_payload(list.front().row);
  };
  result.form_on_a = has_payload(a, result.a) || !has_payload(b, result.b);
  if (result.form_on_a) {
    result.matches = WeightSearch(a, b, result.a, result.b).run();
  } else {
    result.matches = WeightSearch(b, a, result.b, result.a).run();
    for (WeightMatch& match : result.matches) std::swap(match.a, match.b);
  }
  return result;
}

double form_error(const TraceView& a, std::int64_t row_a, const TraceView& b, std::int64_t row_b,
                  const std::string& form) {
  return form_error(record_of(a, row_a), a.payload(row_a), b, row_b, form);
}

double form_error(const Record& of_a, const std::vector<std::byte>& content, const TraceView& b, std::int64_t row_b,
                  const std::string& form) {
  const Record& of_b = record_of(b, row_b);
  constexpr double none = std::numeric_limits<double>::infinity();
  if (dtype_class(of_a.dtype) != DTypeClass::floating || dtype_class(of_b.dtype) != DTypeClass::floating) return none;
  const auto made = formed(of_a, content, form);
  if (!made || made->first != of_b.shape) return none;
  const std::vector<std::byte> others = b.payload(row_b);
  CompareOptions options;
  options.metrics = Metrics::of_gates;
  const Comparison found = compare({of_a.dtype, made->first, made->second}, {of_b.dtype, of_b.shape, others}, options);
  if (found.bit_equal == found.elements) return 0;
  return found.nonfinite_mismatch > 0 ? none : found.rel_frobenius;
}

}  // namespace goldentrace
