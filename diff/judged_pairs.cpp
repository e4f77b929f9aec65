#include "diff/judged_pairs.h"

#include <utility>

#include "traces/glob.h"

namespace goldentrace {

namespace {

constexpr std::uint32_t no_judgement = ~std::uint32_t{0};

PairState state_of(const Judgement& judgement) {
  if (judgement.finding == Finding::bit_equal) return PairState::bit_equal;
  return judgement.finding == Finding::within ? PairState::within : PairState::differs;
}

}  // namespace

JudgedPairs::JudgedPairs(const TraceView& a, const TraceView& b, const DiffOptions& options)
    : a_(a),
      b_(b),
      options_(options),
      choice_(options.gate, options.rules, first_step_of_run(a, b)),
      alignment_(align(a.records, b.records)),
      states_(alignment_.pairs.size(), PairState::bit_equal),
      weights_(alignment_.pairs.size(), 0),
      judgement_of_(alignment_.pairs.size(), no_judgement) {
  for (std::int64_t pair = 0; pair < count(); ++pair) {
    weights_[static_cast<std::size_t>(pair)] = choice_.is_weight(this->a(pair)) ? 1 : 0;
  }
}

const Record& JudgedPairs::a(std::int64_t pair) const {
  return a_.records[static_cast<std::size_t>(alignment_.pairs[static_cast<std::size_t>(pair)].a)];
}

const Record& JudgedPairs::b(std::int64_t pair) const {
  return b_.records[static_cast<std::size_t>(alignment_.pairs[static_cast<std::size_t>(pair)].b)];
}

bool JudgedPairs::passes_filter(const Record& record) const {
  return options_.filter.empty() || glob_match(options_.filter, record.id.layer);
}

std::optional<InputDifference> JudgedPairs::differing_input() const {
  for (std::int64_t pair = 0; pair < count(); ++pair) {
    if (!is_input(pair)) continue;
    const RecordPair& rows = alignment_.pairs[static_cast<std::size_t>(pair)];
    Judgement judgement = judge_pair(a_, b_, {rows, input_gate(a(pair), b(pair))});
    if (!judgement.passes()) return InputDifference{pair, std::move(judgement)};
  }
  return std::nullopt;
}

// Equal content needs neither a judgement nor a look into the file.
bool JudgedPairs::is_equal_by_hash(const Record& a, const Record& b) const {
  return a.dtype == b.dtype && a.fingerprint.hash == b.fingerprint.hash && a.shape == b.shape &&
         (a.fingerprint.statistics.nan_count == 0 || choice_.gate_of(a).nan == NanPolicy::same);
}

// Whole lists in the report: they would all be read twice.
Metrics JudgedPairs::metrics_for(std::span<const PairTask> tasks) const {
  constexpr std::int64_t few = 1000;
  constexpr std::int64_t little = std::int64_t{16} << 20;
  std::int64_t bytes = 0;
  for (const PairTask& task : tasks) {
    const Record& record = a_.records[static_cast<std::size_t>(task.rows.a)];
    if (__builtin_add_overflow(bytes, byte_count(record.shape, record.dtype), &bytes)) break;
  }
  return options_.limit > few || bytes < little ? Metrics::all : Metrics::of_gates;
}

void JudgedPairs::measure(std::span<const std::int64_t> pairs) {
  std::vector<PairTask> tasks;
  std::vector<std::uint32_t> places;
  for (const std::int64_t pair : pairs) {
    const Judgement* found = judgement(pair);
    if (!found || !found->measured || found->metrics == Metrics::all) continue;
    const auto at = static_cast<std::size_t>(pair);
    places.push_back(judgement_of_[at]);
    tasks.push_back({alignment_.pairs[at], gates_[judgement_of_[at]]});
  }
  std::vector<Judgement> whole = judge_pairs(a_, b_, tasks, options_.work);
  for (std::size_t i = 0; i < places.size(); ++i) judgements_[places[i]] = std::move(whole[i]);
}

void JudgedPairs::judge() {
  std::vector<PairTask> tasks;
  for (std::int64_t pair = 0; pair < count(); ++pair) {
    const auto at = static_cast<std::size_t>(pair);
    if (is_equal_by_hash(a(pair), b(pair))) continue;
    if (!is_compared(pair)) {
      states_[at] = PairState::unknown;
      continue;
    }
    judgement_of_[at] = static_cast<std::uint32_t>(tasks.size());
    tasks.push_back({alignment_.pairs[at], choice_.gate_of(a(pair))});
    gates_.push_back(tasks.back().gate);
  }
  const Metrics metrics = metrics_for(tasks);
  for (PairTask& task : tasks) task.metrics = metrics;
  judgements_ = judge_pairs(a_, b_, tasks, options_.work);
  for (std::size_t at = 0; at < states_.size(); ++at) {
    if (judgement_of_[at] != no_judgement) states_[at] = state_of(judgements_[judgement_of_[at]]);
  }
}

const Judgement* JudgedPairs::judgement(std::int64_t pair) const {
  const std::uint32_t number = judgement_of_[static_cast<std::size_t>(pair)];
  return number == no_judgement ? nullptr : &judgements_[number];
}

PairReport JudgedPairs::report(std::int64_t pair) const {
  const Record& of_a = a(pair);
  const Record& of_b = b(pair);
  PairReport result{of_a.id, of_b.id, of_a.dtype, of_b.dtype, of_a.shape, of_b.shape, {}, {}};
  const Judgement* found = judgement(pair);
  if (!found) return result;
  result.judgement = *found;
  const Gate& gate = gates_[judgement_of_[static_cast<std::size_t>(pair)]];
  const bool equality = gate.kind == GateKind::allclose && gate.rtol == 0 && gate.atol == 0;
  result.gate = equality ? "equal values" : describe(gate, of_a.dtype, of_b.dtype);
  return result;
}

}  // namespace goldentrace
