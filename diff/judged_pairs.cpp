#include "diff/judged_pairs.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "diff/relation/logical_view.h"
#include "traces/glob.h"

namespace goldentrace {

namespace {

constexpr std::uint32_t no_task = ~std::uint32_t{0};

PairState state_of(Finding finding) {
  if (finding == Finding::bit_equal) return PairState::bit_equal;
  return finding == Finding::within ? PairState::within : PairState::differs;
}

const Gate& shared(std::deque<Gate>& gates, const Gate& gate) {
  const auto known = std::ranges::find(gates, gate);
  return known != gates.end() ? *known : gates.emplace_back(gate);
}

}  // namespace

JudgedPairs::JudgedPairs(const TraceView& a, const TraceView& b, Alignment alignment, const DiffOptions& options)
    : a_(a),
      b_(b),
      options_(options),
      choice_(options.gate, options.rules, first_step_of_run(a, b)),
      bands_(options.repeats.empty() ? NoiseBands() : NoiseBands(a, options.repeats)),
      alignment_(std::move(alignment)),
      states_(alignment_.pairs.size(), PairState::bit_equal),
      weights_(alignment_.pairs.size(), 0),
      task_of_(alignment_.pairs.size(), no_task) {
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
    const Gate gate = input_gate(a(pair), b(pair));
    Judgement judgement = judge_pair(a_, b_, {alignment_.pairs[static_cast<std::size_t>(pair)], &gate});
    if (!judgement.passes()) return InputDifference{pair, std::move(judgement)};
  }
  return std::nullopt;
}

// What a relation makes of several records has none.
const NoiseBand* JudgedPairs::band(std::int64_t pair) const {
  const std::int64_t row = alignment_.pairs[static_cast<std::size_t>(pair)].a;
  if (bands_.empty() || weights_[static_cast<std::size_t>(pair)] || (a_.logical && a_.logical->is_transformed(row)))
    return nullptr;
  return bands_.find(a(pair).id);
}

Gate JudgedPairs::gate_of(std::int64_t pair) const {
  const Gate gate = choice_.gate_of(a(pair));
  const NoiseBand* noise = band(pair);
  return noise ? NoiseBands::gate(*noise, gate) : gate;
}

// Equal content needs neither a judgement nor a look into the file.
bool JudgedPairs::is_equal_by_hash(std::int64_t pair) const {
  const Record& a = this->a(pair);
  const Record& b = this->b(pair);
  const RecordPair& rows = alignment_.pairs[static_cast<std::size_t>(pair)];
  const auto is_misfit = [](const TraceView& trace, std::int64_t row) {
    return trace.logical && !trace.logical->misfit(row).empty();
  };
  if (is_misfit(a_, rows.a) || is_misfit(b_, rows.b)) return false;
  return a.dtype == b.dtype && a.fingerprint.hash == b.fingerprint.hash && a.shape == b.shape &&
         (a.fingerprint.statistics.nan_count == 0 || choice_.gate_of(a).nan == NanPolicy::same);
}

// Where there is much to compare, a report of whole lists would read it all twice.
Metrics JudgedPairs::metrics_to_take() const {
  constexpr std::int64_t few_reported = 1000;
  constexpr std::size_t few_pairs = 10000;
  constexpr std::int64_t few_bytes = std::int64_t{16} << 20;
  if (options_.limit > few_reported) return Metrics::all;
  std::int64_t bytes = 0;
  for (const PairTask& task : tasks_) {
    const Record& record = a_.records[static_cast<std::size_t>(task.rows.a)];
    if (__builtin_add_overflow(bytes, byte_count(record.shape, record.dtype), &bytes)) return Metrics::of_gates;
  }
  return tasks_.size() <= few_pairs && bytes <= few_bytes ? Metrics::all : Metrics::of_gates;
}

void JudgedPairs::add_task(std::int64_t pair) {
  const auto at = static_cast<std::size_t>(pair);
  if (is_equal_by_hash(pair)) return;
  if (!is_compared(pair)) {
    states_[at] = PairState::unknown;
    return;
  }
  task_of_[at] = static_cast<std::uint32_t>(tasks_.size());
  tasks_.push_back({alignment_.pairs[at], &shared(gates_, gate_of(pair))});
}

void JudgedPairs::judge() {
  for (std::int64_t pair = 0; pair < count(); ++pair) add_task(pair);
  const Metrics metrics = metrics_to_take();
  for (PairTask& task : tasks_) task.metrics = metrics;
  brief_.resize(tasks_.size());
  std::mutex mutex;
  const auto keep = [&](std::size_t task, Judgement judgement) {
    brief_[task] = {judgement.finding, judgement.used};
    if (metrics != Metrics::all) return;
    const std::lock_guard lock(mutex);
    whole_.emplace(static_cast<std::uint32_t>(task), std::move(judgement));
  };
  judge_pairs(a_, b_, tasks_, keep, options_.work);
  for (std::size_t at = 0; at < states_.size(); ++at) {
    if (task_of_[at] != no_task) states_[at] = state_of(brief_[task_of_[at]].finding);
  }
}

const BriefJudgement* JudgedPairs::judgement(std::int64_t pair) const {
  const std::uint32_t task = task_of_[static_cast<std::size_t>(pair)];
  return task == no_task ? nullptr : &brief_[task];
}

void JudgedPairs::complete(std::span<const std::int64_t> pairs) {
  std::vector<PairTask> tasks;
  std::vector<std::uint32_t> numbers;
  for (const std::int64_t pair : pairs) {
    const std::uint32_t number = task_of_[static_cast<std::size_t>(pair)];
    if (number == no_task || whole_.contains(number)) continue;
    numbers.push_back(number);
    tasks.push_back({tasks_[number].rows, tasks_[number].gate, Metrics::all});
  }
  std::mutex mutex;
  const auto keep = [&](std::size_t task, Judgement judgement) {
    const std::lock_guard lock(mutex);
    whole_.emplace(numbers[task], std::move(judgement));
  };
  judge_pairs(a_, b_, tasks, keep, options_.work);
}

std::vector<PairReport> JudgedPairs::report(std::span<const std::int64_t> pairs) {
  complete(pairs);
  std::vector<PairReport> reports;
  for (const std::int64_t pair : pairs) reports.push_back(make_report(pair));
  return reports;
}

PairReport JudgedPairs::report(std::int64_t pair) {
  complete(std::span(&pair, 1));
  return make_report(pair);
}

PairReport JudgedPairs::make_report(std::int64_t pair) const {
  const Record& of_a = a(pair);
  const Record& of_b = b(pair);
  PairReport result{of_a.id, of_b.id, of_a.dtype, of_b.dtype, of_a.shape, of_b.shape, {}, {}, {}, {}, {}, {}};
  const RecordPair& rows = alignment_.pairs[static_cast<std::size_t>(pair)];
  if (a_.logical) result.form_a = a_.logical->form(rows.a);
  if (b_.logical) result.form_b = b_.logical->form(rows.b);
  if (b_.logical) result.id_b = b_.logical->recorded(rows.b).id;
  const std::uint32_t task = task_of_[static_cast<std::size_t>(pair)];
  if (task == no_task) return result;
  result.judgement = whole_.at(task);
  const std::int64_t place = result.judgement.place;
  if (a_.logical && place >= 0) result.part_a = a_.logical->source_at(rows.a, place);
  if (b_.logical && place >= 0) result.part_b = b_.logical->source_at(rows.b, place);
  const Gate& gate = *tasks_[task].gate;
  const bool equality = gate.kind == GateKind::allclose && gate.rtol == 0 && gate.atol == 0;
  result.gate = equality ? "equal values" : describe(gate, of_a.dtype, of_b.dtype);
  if (band(pair)) result.gate = bands_.text() + ": " + result.gate;
  return result;
}

}  // namespace goldentrace
