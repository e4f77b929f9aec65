#include "diff/diff.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "diff/check/check_report.h"
#include "diff/dataflow.h"
#include "diff/divergence.h"
#include "diff/input_difference.h"
#include "diff/judged_pairs.h"
#include "diff/layer_ratios.h"
#include "diff/logit_pairs.h"
#include "diff/loss_curve.h"
#include "diff/micro_order.h"
#include "diff/nonfinite.h"
#include "diff/notes.h"
#include "diff/number.h"
#include "diff/origin.h"
#include "diff/partial_ranks.h"
#include "diff/ranked_trace.h"
#include "diff/relation/logical_view.h"
#include "diff/relation/related_traces.h"
#include "diff/relation_choice.h"
#include "diff/root_hints.h"
#include "diff/variant_hints.h"
#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {

namespace {

class Run {
 public:
  Run(const TraceView& a, const TraceView& b, Alignment alignment, RelationReport relation, const DiffOptions& options)
      : a_(a), b_(b), options_(options), pairs_(a, b, std::move(alignment), options) {
    report_.relation = std::move(relation);
  }

  Report run() {
    begin();
    if (!inputs_agree()) return std::move(report_);
    pairs_.judge();
    collect();
    if (!is_comparable()) return std::move(report_);
    if (!quality_is_known()) return std::move(report_);
    find_first();
    conclude();
    conclude_quality();
    return std::move(report_);
  }

 private:
  void begin() {
    report_.a = a_.path;
    report_.b = b_.path;
    report_.gate = describe(options_.gate);
    if (!options_.rules.rules.empty()) report_.gate += " with the rules of " + options_.rules.path.string();
    report_.nan = options_.gate.nan;
    report_.header = diff_headers(a_, b_);
    report_.notes = file_notes(a_, b_);
    append(rank_notes(a_, b_));
    append(dtype_notes(a_, b_, pairs_.alignment().pairs));
    append(rule_notes(options_.rules, a_));
    append(position_notes(options_.positions));
    if (!options_.repeats.empty()) report_.notes.push_back(pairs_.bands().note());
  }

  void append(std::vector<std::string> notes) {
    std::move(notes.begin(), notes.end(), std::back_inserter(report_.notes));
  }

  bool refuse(std::string reason) {
    report_.verdict = Verdict::incomparable;
    report_.reason = std::move(reason);
    return false;
  }

  bool inputs_agree() {
    const std::optional<std::string> difference = input_difference(a_, b_, pairs_);
    return !difference || refuse(*difference);
  }

  void collect() {
    for (std::int64_t pair = 0; pair < pairs_.count(); ++pair) {
      if (!pairs_.is_compared(pair)) continue;
      const PairState state = pairs_.states()[static_cast<std::size_t>(pair)];
      ++report_.compared;
      if (state == PairState::bit_equal) ++report_.bitwise_equal;
      if (state == PairState::within) ++report_.within_gate;
    }
    for (const std::int64_t row : pairs_.alignment().missing) {
      const Record& record = a_.records[static_cast<std::size_t>(row)];
      if (!pairs_.passes_filter(record)) continue;
      if (report_.missing.empty()) first_bad_row_ = row;
      report_.missing.push_back(recorded_id(a_, row));
    }
    for (const std::int64_t row : pairs_.alignment().extra) {
      const Record& record = b_.records[static_cast<std::size_t>(row)];
      if (pairs_.passes_filter(record)) report_.extra.push_back(recorded_id(b_, row));
    }
    for (const PassedThrough& each : pairs_.alignment().passed_through) {
      const Record& record = (each.side == Side::a ? a_ : b_).records[static_cast<std::size_t>(each.row)];
      if (pairs_.passes_filter(record)) report_.passed_through.push_back(record.id);
    }
    for (std::int64_t pair = 0; pair < pairs_.count() && !report_.first_unequal; ++pair) {
      const PairState state = pairs_.states()[static_cast<std::size_t>(pair)];
      if (pairs_.is_compared(pair) && state != PairState::bit_equal) report_.first_unequal = pairs_.a(pair).id;
    }
    report_.nonfinite_a = first_nonfinite(a_);
    report_.nonfinite_b = first_nonfinite(b_);
  }

  static const RecordId& recorded_id(const TraceView& trace, std::int64_t row) {
    return trace.logical ? trace.logical->recorded(row).id : trace.records[static_cast<std::size_t>(row)].id;
  }

  bool is_comparable() {
    bool compared = false;
    std::int64_t undecidable = 0;
    std::string first;
    for (std::int64_t pair = 0; pair < pairs_.count(); ++pair) {
      compared = compared || (pairs_.is_compared(pair) && !pairs_.is_input(pair));
      const BriefJudgement* judgement = pairs_.judgement(pair);
      if (!judgement || judgement->finding != Finding::undecidable) continue;
      if (undecidable++ == 0)
        first = "cannot judge " + describe(pairs_.a(pair).id) + ": " + pairs_.report(pair).judgement.text;
    }
    if (!compared) return refuse(nothing_compared());
    if (undecidable > 1) first += " (and " + counted(undecidable - 1, "record") + " more)";
    return undecidable == 0 || refuse(first);
  }

  std::string nothing_compared() const {
    if (options_.filter.empty()) {
      return "nothing compared: A has " + counted(static_cast<std::int64_t>(a_.records.size()), "record") + ", B has " +
             std::to_string(b_.records.size()) + ", and no layer is in both";
    }
    std::set<std::string> layers;
    for (const Record& record : a_.records) layers.insert(record.id.layer);
    const std::vector<std::string> names(layers.begin(), layers.end());
    return "nothing compared: " + unknown_name("layer", options_.filter, names);
  }

  void find_first() {
    if (std::ranges::find(pairs_.states(), PairState::differs) == pairs_.states().end()) return;
    const Dataflow graph(a_.records, b_.records, pairs_.alignment());
    const DivergenceInput input{a_, b_, pairs_.alignment(), pairs_.states(), pairs_.weights()};
    const LayerCode code(a_, b_);
    const Divergences found = find_divergences(input, graph, code);
    report_.absorbed = static_cast<std::int64_t>(found.absorbed.size());
    report_.mismatched = static_cast<std::int64_t>(found.mismatched.size());
    report_.absorbed_records = pairs_.report(found.absorbed);
    report_.mismatches = first_reports(found.mismatched);
    mismatched_ = found.mismatched;
    for (const std::int64_t pair : found.mismatched) mismatched_layers_.insert(pairs_.a(pair).id.layer);
    if (found.mismatched.empty()) return;
    note_bad_row(found.mismatched.front());
    explain_roots(found, input, graph, code);
  }

  void note_bad_row(std::int64_t pair) {
    const std::int64_t row = pairs_.alignment().pairs[static_cast<std::size_t>(pair)].a;
    first_bad_row_ = std::min(row, first_bad_row_.value_or(row));
  }

  std::size_t limit() const { return static_cast<std::size_t>(std::max<std::int64_t>(0, options_.limit)); }

  std::vector<PairReport> first_reports(const std::vector<std::int64_t>& chosen) {
    return pairs_.report(std::span(chosen).first(std::min(chosen.size(), limit())));
  }

  void explain_roots(const Divergences& found, const DivergenceInput& input, const Dataflow& graph,
                     const LayerCode& code) {
    const OriginFinder origins(input, graph, code);
    std::vector<PairReport> reports = pairs_.report(found.roots);
    for (std::size_t i = 0; i < found.roots.size(); ++i) {
      const std::int64_t pair = found.roots[i];
      Divergence divergence;
      divergence.pair = std::move(reports[i]);
      origins.place(pair, divergence);
      if (report_.roots.size() < std::max<std::size_t>(1, limit())) origins.compare_code(pair, divergence);
      report_.roots.push_back(std::move(divergence));
      explain_remains(found, pair);
    }
    const std::int64_t first = found.roots.front();
    report_.followers = count_followers(input, graph, found, first);
    report_.diagnosis =
        root_hints(a_, b_, pairs_.alignment().pairs[static_cast<std::size_t>(first)], code, report_.roots.front());
    explain_ratio(first);
    explain_partial_inputs(report_.roots.front().pair.id);
  }

  // A factor that layers have in common says more than that of the first one.
  void explain_ratio(std::int64_t root) {
    const auto ratio = std::ranges::find(report_.diagnosis, "ratio", &Diagnosis::kind);
    if (ratio == report_.diagnosis.end()) return;
    const std::vector<LayerRatio> ratios = ratios_by_layer(pairs_, root);
    if (auto hint = layer_ratio_hint(pairs_.a(root).id.layer, ratios)) *ratio = std::move(*hint);
  }

  // What made the root may have read more than the part of its inputs that both sides have.
  void explain_partial_inputs(const RecordId& root) {
    if (std::ranges::find(report_.diagnosis, "vocabulary", &Diagnosis::kind) != report_.diagnosis.end()) return;
    for (const PartialReport& each : report_.relation.partial) {
      const RecordId& id = each.id;
      const bool read =
          id.layer == root.layer && id.role == Role::input && id.pass == root.pass && id.step == root.step;
      if (!read) continue;
      const bool sums = root.layer == loss_layer;
      report_.diagnosis.push_back({"partial-input",
                                   (sums ? "padded vocabulary in log-sum-exp: " : "an input is compared in part: ") +
                                       std::string("input ") + id.index + ", " + each.text,
                                   false, std::nullopt});
      return;
    }
  }

  void explain_remains(const Divergences& found, std::int64_t pair) {
    const auto remains = std::ranges::find(found.remains, pair, &Remains::pair);
    if (remains == found.remains.end()) return;
    report_.roots.back().explanation += "; what reads it agrees, but what is left of it is out of the gate again at " +
                                        describe(pairs_.a(remains->leaves_at).id);
  }

  bool quality_is_known() {
    if (!options_.quality.asked()) return true;
    try {
      report_.quality = measure_quality(a_, b_, pairs_.alignment(), options_.quality);
    } catch (const Error& error) {
      return refuse(error.what());
    }
    return true;
  }

  static std::string gate_text(const QualityGate& gate) {
    return gate.name + " " + show_exact(gate.limit) + ": " + show(gate.value, 6);
  }

  const QualityGate* failed_gate() const {
    if (!report_.quality) return nullptr;
    const auto failed = std::ranges::find(report_.quality->gates, false, &QualityGate::passes);
    return failed == report_.quality->gates.end() ? nullptr : &*failed;
  }

  bool only_values_differ() const {
    return report_.missing.empty() && report_.extra.empty() && report_.relation.unequal_copies.empty();
  }

  // What the quality has to say: more where the tensors agree, everything where it alone decides.
  void conclude_quality() {
    const QualityGate* failed = failed_gate();
    if (failed && (options_.quality.decides || report_.verdict == Verdict::same)) {
      report_.verdict = Verdict::diverged;
      report_.reason = "quality: " + gate_text(*failed);
    } else if (options_.quality.decides && report_.verdict == Verdict::diverged && only_values_differ()) {
      report_.verdict = Verdict::same;
      report_.reason = "quality within its limits; of the tensors: " + report_.reason;
    }
  }

  void conclude() {
    count_certified();
    count_layers();
    report_.closest = first_reports(by_use());
    report_.losses = loss_curve(a_, b_, pairs_, report_.roots, mismatched_);
    if (report_.mismatched > 0) {
      report_.verdict = Verdict::diverged;
      report_.reason = "first divergence: " + describe(report_.roots.front().pair.id);
    } else if (!report_.missing.empty() || !report_.extra.empty()) {
      report_.verdict = Verdict::diverged;
      report_.reason = unpaired_text();
    } else if (!report_.relation.unequal_copies.empty()) {
      report_.verdict = Verdict::diverged;
      report_.reason = "copies that must be equal are not: " + describe(report_.relation.unequal_copies.front());
    } else {
      report_.reason = counted(report_.compared, "record") + " compared, " + agreement_text() + "; " + layers_text();
    }
  }

  std::string agreement_text() const {
    if (report_.absorbed == 0) return "all agree";
    return std::to_string(report_.compared - report_.absorbed) + " agree, " + counted(report_.absorbed, "difference") +
           " absorbed";
  }

  std::string layers_text() const {
    std::string text =
        report_.layers_certified == report_.layers
            ? "all " + counted(report_.layers, "layer") + " certified"
            : std::to_string(report_.layers_certified) + " of " + counted(report_.layers, "layer") + " certified";
    if (report_.layers == 1) text = std::to_string(report_.layers_certified) + " of 1 layer certified";
    if (report_.layers_left_out > 0)
      text += ", " + std::to_string(report_.layers_left_out) + " left out by the relation";
    return text;
  }

  // A layer is certified by what was compared of it, and by nothing of it being left over.
  void count_layers() {
    std::map<std::string_view, bool> layers;
    for (std::int64_t pair = 0; pair < pairs_.count(); ++pair) {
      if (pairs_.is_compared(pair)) layers.try_emplace(pairs_.a(pair).id.layer, true);
    }
    layers.erase(root_layer);
    for (const std::string& layer : mismatched_layers_) layers[layer] = false;
    for (const RecordId& id : report_.missing) layers[id.layer] = false;
    report_.layers = static_cast<std::int64_t>(layers.size());
    report_.layers_certified = std::ranges::count(layers | std::views::values, true);
    std::set<std::string_view> left_out;
    for (const LeftOutReport& each : report_.relation.left_out) {
      if (each.side == "A" && !layers.contains(each.id.layer)) left_out.insert(each.id.layer);
    }
    report_.layers_left_out = static_cast<std::int64_t>(left_out.size());
  }

  std::string unpaired_text() const {
    std::string text;
    if (!report_.missing.empty()) text = "missing: " + std::to_string(report_.missing.size());
    if (report_.extra.empty()) return text;
    return text + (text.empty() ? "" : ", ") + "extra: " + std::to_string(report_.extra.size());
  }

  void count_certified() {
    const std::int64_t end = first_bad_row_.value_or(static_cast<std::int64_t>(a_.records.size()));
    for (std::int64_t pair = 0; pair < pairs_.count(); ++pair) {
      const std::int64_t row = pairs_.alignment().pairs[static_cast<std::size_t>(pair)].a;
      if (row < end && pairs_.is_compared(pair)) ++report_.certified_prefix;
    }
  }

  // Pairs within the gate, those first that used most of it.
  std::vector<std::int64_t> by_use() const {
    std::vector<std::int64_t> within;
    for (std::int64_t pair = 0; pair < pairs_.count(); ++pair) {
      if (pairs_.states()[static_cast<std::size_t>(pair)] == PairState::within) within.push_back(pair);
    }
    std::ranges::stable_sort(within, std::greater<>(),
                             [this](std::int64_t pair) { return pairs_.judgement(pair)->used; });
    return within;
  }

  const TraceView& a_;
  const TraceView& b_;
  const DiffOptions& options_;
  JudgedPairs pairs_;
  Report report_;
  std::set<std::string> mismatched_layers_;
  std::vector<std::int64_t> mismatched_;       // pairs, in A's order
  std::optional<std::int64_t> first_bad_row_;  // A's first missing or mismatched record
};

}  // namespace

namespace {

Report compare(const TraceView& a, const TraceView& b, const DiffOptions& options) {
  const ChosenRelation chosen = choose_relation(a, b, options);
  if (chosen.sets.empty()) return Run(a, b, align(a.records, b.records), {}, options).run();
  const RelatedTraces related(a, b, chosen.sets, options.positions);
  return Run(related.a(), related.b(), related.alignment(), relation_report(chosen, related), options).run();
}

}  // namespace

Report diff(const TraceView& trace_a, const TraceView& trace_b, const DiffOptions& options) {
  const RankedTrace ranked_a(trace_a);
  const RankedTrace ranked_b(trace_b);
  const TraceView& a = ranked_a.view();
  const MicroOrder order(a, ranked_b.view());
  const TraceView& b = order.view();
  Report report = compare(a, b, options);
  if (!order.note().empty()) report.notes.push_back(order.note());
  std::ranges::move(variant_hints(a, b, report), std::back_inserter(report.diagnosis));
  add_checks(a, b, options, report);
  refuse_partial_ranks(trace_b, "B", report);
  refuse_partial_ranks(trace_a, "A", report);
  return report;
}

Report diff(const TraceView& trace, const DiffOptions& options) {
  Report report = check_report(RankedTrace(trace).view(), options);
  refuse_partial_ranks(trace, "", report);
  return report;
}

}  // namespace goldentrace
