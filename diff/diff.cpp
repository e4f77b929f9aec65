#include "diff/diff.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "diff/align.h"
#include "diff/dataflow.h"
#include "diff/divergence.h"
#include "diff/gate_choice.h"
#include "diff/nonfinite.h"
#include "diff/notes.h"
#include "diff/number.h"
#include "diff/origin.h"
#include "diff/pair_judge.h"
#include "diff/root_hints.h"
#include "traces/glob.h"
#include "traces/suggest.h"

namespace goldentrace {

namespace {

constexpr std::uint32_t no_judgement = ~std::uint32_t{0};

class Run {
 public:
  Run(const TraceView& a, const TraceView& b, const DiffOptions& options)
      : a_(a), b_(b), options_(options), choice_(options.gate, options.rules, first_step_of_run(a, b)) {}

  Report run() {
    begin();
    if (!inputs_agree()) return std::move(report_);
    judge_all();
    collect();
    if (report_.verdict != Verdict::incomparable) find_first();
    return std::move(report_);
  }

 private:
  const Record& record_a(const RecordPair& pair) const { return a_.records[static_cast<std::size_t>(pair.a)]; }
  const Record& record_b(const RecordPair& pair) const { return b_.records[static_cast<std::size_t>(pair.b)]; }
  const RecordPair& pair_at(std::int64_t pair) const { return alignment_.pairs[static_cast<std::size_t>(pair)]; }
  bool passes_filter(const Record& record) const {
    return options_.filter.empty() || glob_match(options_.filter, record.id.layer);
  }

  void begin() {
    report_.a = a_.path;
    report_.b = b_.path;
    report_.gate = describe(options_.gate);
    if (!options_.rules.rules.empty()) report_.gate += " with the rules of " + options_.rules.path.string();
    report_.nan = options_.gate.nan;
    report_.header = diff_headers(a_, b_);
    alignment_ = align(a_.records, b_.records);
    report_.notes = file_notes(a_, b_);
    append(dtype_notes(a_, b_, alignment_.pairs));
    append(rule_notes(options_.rules, a_));
  }

  void append(std::vector<std::string> notes) {
    report_.notes.insert(report_.notes.end(), std::make_move_iterator(notes.begin()),
                         std::make_move_iterator(notes.end()));
  }

  bool is_input(const RecordPair& pair) const {
    return is_model_input(record_a(pair)) && is_model_input(record_b(pair));
  }

  bool inputs_agree() {
    for (const RecordPair& pair : alignment_.pairs) {
      if (!is_input(pair)) continue;
      const Judgement judgement = judge_pair(a_, b_, {pair, input_gate(record_a(pair), record_b(pair))});
      if (judgement.passes()) continue;
      const bool known = judgement.finding != Finding::undecidable;
      refuse((known ? "inputs differ: " : "cannot judge ") + describe_input(record_a(pair), judgement));
      return false;
    }
    return true;
  }

  static std::string describe_input(const Record& record, const Judgement& judgement) {
    const std::string who = record.declared ? record.id.index + " (" + describe(record.id) + ")" : describe(record.id);
    if (judgement.place < 0) return who + ": " + judgement.text;
    const std::int64_t place =
        judgement.comparison.first_outside >= 0 ? judgement.comparison.first_outside : judgement.place;
    return who + " at " + show_list(coordinates(place, record.shape)) + ", " + judgement.text;
  }

  // Equal content needs neither a judgement nor a look into the file.
  bool is_equal_by_hash(const Record& a, const Record& b) const {
    return a.dtype == b.dtype && a.fingerprint.hash == b.fingerprint.hash && a.shape == b.shape &&
           (a.fingerprint.statistics.nan_count == 0 || choice_.gate_of(a).nan == NanPolicy::same);
  }

  void judge_all() {
    const std::size_t count = alignment_.pairs.size();
    states_.assign(count, PairState::bit_equal);
    judgement_of_.assign(count, no_judgement);
    weights_.assign(count, 0);
    std::vector<PairTask> tasks;
    for (std::size_t i = 0; i < count; ++i) {
      const RecordPair& pair = alignment_.pairs[i];
      const Record& a = record_a(pair);
      weights_[i] = choice_.is_weight(a) ? 1 : 0;
      if (passes_filter(a) && !is_input(pair)) something_compared_ = true;
      if (is_equal_by_hash(a, record_b(pair))) continue;
      if (!passes_filter(a) && !is_input(pair)) {
        states_[i] = PairState::unknown;
        continue;
      }
      judgement_of_[i] = static_cast<std::uint32_t>(tasks.size());
      tasks.push_back({pair, choice_.gate_of(a)});
    }
    judgements_ = judge_pairs(a_, b_, tasks, options_.work);
    gates_.reserve(tasks.size());
    for (const PairTask& task : tasks) gates_.push_back(task.gate);
    for (std::size_t i = 0; i < count; ++i) {
      if (judgement_of_[i] != no_judgement) states_[i] = state_of(judgements_[judgement_of_[i]]);
    }
  }

  static PairState state_of(const Judgement& judgement) {
    if (judgement.finding == Finding::bit_equal) return PairState::bit_equal;
    return judgement.finding == Finding::within ? PairState::within : PairState::differs;
  }

  bool is_compared(std::size_t i) const {
    const RecordPair& pair = alignment_.pairs[i];
    return passes_filter(record_a(pair)) || is_input(pair);
  }

  void collect() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!is_compared(i)) continue;
      ++report_.compared;
      if (states_[i] == PairState::bit_equal) ++report_.bitwise_equal;
      if (states_[i] == PairState::within) ++report_.within_gate;
    }
    for (const std::int64_t row : alignment_.missing) {
      const Record& record = a_.records[static_cast<std::size_t>(row)];
      if (!passes_filter(record)) continue;
      if (report_.missing.empty()) first_missing_row_ = row;
      report_.missing.push_back(record.id);
    }
    for (const std::int64_t row : alignment_.extra) {
      const Record& record = b_.records[static_cast<std::size_t>(row)];
      if (passes_filter(record)) report_.extra.push_back(record.id);
    }
    report_.nonfinite_a = first_nonfinite(a_);
    report_.nonfinite_b = first_nonfinite(b_);
    check_comparable();
  }

  void check_comparable() {
    if (!something_compared_) return refuse(nothing_compared());
    std::int64_t undecidable = 0;
    for (std::size_t i = states_.size(); i-- > 0;) {
      if (judgement_of_[i] == no_judgement) continue;
      const Judgement& judgement = judgements_[judgement_of_[i]];
      if (judgement.finding != Finding::undecidable) continue;
      ++undecidable;
      report_.reason = "cannot judge " + describe(record_a(alignment_.pairs[i]).id) + ": " + judgement.text;
    }
    if (undecidable == 0) return;
    if (undecidable > 1) report_.reason += " (and " + counted(undecidable - 1, "record") + " more)";
    refuse(report_.reason);
  }

  std::string nothing_compared() const {
    if (!options_.filter.empty()) {
      const std::set<std::string> layers = layer_names();
      return "nothing compared: " +
             unknown_name("layer", options_.filter, std::vector<std::string>(layers.begin(), layers.end()));
    }
    return "nothing compared: A has " + counted(static_cast<std::int64_t>(a_.records.size()), "record") + ", B has " +
           std::to_string(b_.records.size()) + ", and no layer is in both";
  }

  std::set<std::string> layer_names() const {
    std::set<std::string> layers;
    for (const Record& record : a_.records) layers.insert(record.id.layer);
    return layers;
  }

  void refuse(std::string reason) {
    report_.verdict = Verdict::incomparable;
    report_.reason = std::move(reason);
  }

  void find_first() {
    if (std::ranges::find(states_, PairState::differs) == states_.end()) return conclude();
    const Dataflow graph(a_.records, b_.records, alignment_);
    const DivergenceInput input{a_, b_, alignment_, states_, weights_};
    const Divergences found = find_divergences(input, graph);
    for (const std::int64_t pair : found.absorbed) report_.absorbed_records.push_back(pair_report(pair));
    report_.absorbed = static_cast<std::int64_t>(found.absorbed.size());
    report_.mismatched = static_cast<std::int64_t>(found.mismatched.size());
    if (!found.mismatched.empty()) first_mismatched_row_ = pair_at(found.mismatched.front()).a;
    list_mismatches(found.mismatched);
    explain_roots(found, input, graph);
    conclude();
  }

  void list_mismatches(const std::vector<std::int64_t>& mismatched) {
    for (const std::int64_t pair : mismatched) {
      if (static_cast<std::int64_t>(report_.mismatches.size()) >= options_.limit) return;
      report_.mismatches.push_back(pair_report(pair));
    }
  }

  void explain_roots(const Divergences& found, const DivergenceInput& input, const Dataflow& graph) {
    if (found.roots.empty()) return;
    const OriginFinder origins(input, graph);
    for (const std::int64_t pair : found.roots) {
      Divergence divergence;
      divergence.pair = pair_report(pair);
      origins.place(pair, divergence);
      if (static_cast<std::int64_t>(report_.roots.size()) < std::max<std::int64_t>(1, options_.limit)) {
        origins.compare_code(pair, divergence);
      }
      report_.roots.push_back(std::move(divergence));
    }
    report_.followers = count_followers(graph, found, found.roots.front());
    report_.diagnosis = root_hints(a_, b_, pair_at(found.roots.front()), report_.roots.front());
  }

  PairReport pair_report(std::int64_t pair) const {
    const Record& a = record_a(pair_at(pair));
    const Record& b = record_b(pair_at(pair));
    PairReport result{a.id, b.id, a.dtype, b.dtype, a.shape, b.shape, {}, {}};
    const std::uint32_t number = judgement_of_[static_cast<std::size_t>(pair)];
    if (number == no_judgement) return result;
    result.judgement = judgements_[number];
    const bool equality = gates_[number].rtol == 0 && gates_[number].atol == 0;
    result.gate = equality ? "equal values" : describe(gates_[number], a.dtype, b.dtype);
    return result;
  }

  void conclude() {
    count_certified();
    list_closest();
    if (report_.mismatched > 0) {
      report_.verdict = Verdict::diverged;
      report_.reason = "first divergence: " + describe(report_.roots.front().pair.id);
    } else if (!report_.missing.empty() || !report_.extra.empty()) {
      report_.verdict = Verdict::diverged;
      report_.reason = unpaired_text();
    } else {
      report_.reason = "all " + counted(report_.compared, "compared record") + " agree";
    }
  }

  std::string unpaired_text() const {
    std::string text;
    if (!report_.missing.empty()) text = "missing: " + std::to_string(report_.missing.size());
    if (report_.extra.empty()) return text;
    return text + (text.empty() ? "" : ", ") + "extra: " + std::to_string(report_.extra.size());
  }

  void count_certified() {
    std::int64_t end = static_cast<std::int64_t>(a_.records.size());
    if (first_mismatched_row_) end = std::min(end, *first_mismatched_row_);
    if (first_missing_row_) end = std::min(end, *first_missing_row_);
    for (std::size_t i = 0; i < alignment_.pairs.size(); ++i) {
      if (alignment_.pairs[i].a < end && is_compared(i)) ++report_.certified_prefix;
    }
  }

  void list_closest() {
    std::vector<std::int64_t> within;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] == PairState::within) within.push_back(static_cast<std::int64_t>(i));
    }
    const auto used = [this](std::int64_t pair) {
      return judgements_[judgement_of_[static_cast<std::size_t>(pair)]].used;
    };
    std::ranges::stable_sort(within, std::greater<>(), used);
    const auto shown = std::min(within.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, options_.limit)));
    for (std::size_t i = 0; i < shown; ++i) report_.closest.push_back(pair_report(within[i]));
  }

  const TraceView& a_;
  const TraceView& b_;
  const DiffOptions& options_;
  GateChoice choice_;
  Report report_;
  Alignment alignment_;
  std::vector<PairState> states_;
  std::vector<std::uint8_t> weights_;
  std::vector<std::uint32_t> judgement_of_;  // per pair; no_judgement: equal by hash, or not judged
  std::vector<Judgement> judgements_;
  std::vector<Gate> gates_;
  bool something_compared_ = false;
  std::optional<std::int64_t> first_mismatched_row_;
  std::optional<std::int64_t> first_missing_row_;
};

}  // namespace

Report diff(const TraceView& a, const TraceView& b, const DiffOptions& options) { return Run(a, b, options).run(); }

}  // namespace goldentrace
