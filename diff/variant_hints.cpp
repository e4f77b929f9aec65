#include "diff/variant_hints.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "diff/call_index.h"
#include "diff/gradient_shares.h"
#include "diff/loss_value.h"
#include "diff/number.h"
#include "diff/relation/shard.h"

namespace goldentrace {

namespace {

bool is_close(double a, double b) { return std::abs(a - b) <= 2e-6 * std::max(std::abs(a), std::abs(b)); }

// "4.0" or "1/4".
std::string fraction(std::int64_t above, std::int64_t below) {
  const std::int64_t shared = std::gcd(above, below);
  if (below == shared) return std::to_string(above / shared) + ".0";
  return std::to_string(above / shared) + "/" + std::to_string(below / shared);
}

// "4.0" or "3.5": a whole number is seen to be a mean too.
std::string decimal_loss(double value) {
  const std::string text = show(value, 7);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

class VariantHints {
 public:
  VariantHints(const TraceView& a, const TraceView& b, const Report& report)
      : a_(a), b_(b), report_(report), root_(report.roots.front()) {}

  std::vector<Diagnosis> run() {
    for (const Diagnosis& each : report_.diagnosis) {
      if (each.kind == "ratio" && each.value) explain_ratio(*each.value);
    }
    explain_means();
    explain_shares();
    explain_random_state();
    return std::move(result_);
  }

 private:
  const RecordId& id() const { return root_.pair.id; }

  void add(std::string kind, std::string text, std::optional<double> value = std::nullopt) {
    result_.push_back({std::move(kind), std::move(text), false, value});
  }

  std::int64_t micros(const TraceView& trace) const {
    std::int64_t present = 0;
    for (const Record& record : trace.records) {
      if (record.id.step == id().step && record.id.pass == Pass::forward)
        present = std::max(present, record.id.micro + 1);
    }
    return present;
  }

  // One factor may have several explanations; all that the headers know are named.
  void explain_ratio(double ratio) {
    const std::size_t before = result_.size();
    const std::int64_t configured = std::max(header_count(b_.header, "model.gradient_accumulation_steps"),
                                             header_count(a_.header, "model.gradient_accumulation_steps"));
    const std::int64_t present = std::max<std::int64_t>(1, micros(b_));
    if (present < configured) {
      explain_as(ratio, "accumulation", present, configured, "present/configured");
      explain_as(ratio, "accumulation", configured, present, "configured/present");
    }
    explain_count(ratio, "accumulation", configured, "accumulation steps");
    explain_count(ratio, "ranks", ranks(), "ranks");
    if (result_.size() == before) explain_scale(ratio);
  }

  std::int64_t ranks() const { return std::max(header_count(a_.header, "ranks"), header_count(b_.header, "ranks")); }

  void explain_count(double ratio, const char* kind, std::int64_t count, const std::string& what) {
    if (count < 2) return;
    explain_as(ratio, kind, count, 1, what);
    explain_as(ratio, kind, 1, count, "1/" + what);
  }

  void explain_as(double ratio, const char* kind, std::int64_t above, std::int64_t below, const std::string& what) {
    const double value = static_cast<double>(above) / static_cast<double>(below);
    if (is_close(ratio, value)) add(kind, "ratio " + fraction(above, below) + " = " + what, value);
    if (is_close(ratio, value) && what == "present/configured")
      result_.back().text = "ratio = present/configured = " + fraction(above, below);
  }

  void explain_scale(double ratio) {
    int exponent = 0;
    const bool power = std::frexp(std::abs(ratio), &exponent) == 0.5;
    const bool gradient = id().role != Role::output || id().layer == loss_layer;
    if (power && gradient && (exponent > 4 || exponent < -2))
      add("loss-scale", "constant power-of-two factor " + show_exact(ratio) + ": loss scale", ratio);
  }

  // A step's loss from those of its micro-batches or ranks.
  void explain_means() {
    const bool about_loss = id().role == Role::loss || (id().role == Role::output && id().layer == loss_layer) ||
                            id().role == Role::param_grad;
    if (!about_loss) return;
    const auto of_a = losses_of(a_);
    const auto of_b = losses_of(b_);
    const auto step_a = of_a.find(id().step);
    const auto step_b = of_b.find(id().step);
    if (step_a == of_a.end() || step_b == of_b.end() || !step_a->second.reported || !step_b->second.reported) return;
    explain_mean(step_b->second, *step_b->second.reported, *step_a->second.reported);
  }

  void explain_mean(const StepLosses& step, double found, double right) {
    const auto counted = [](const ShardLoss& shard) { return shard.tokens.has_value(); };
    if (step.shards.size() < 2 || !std::ranges::all_of(step.shards, counted)) return;
    std::set<std::int64_t> counts;
    double plain = 0;
    double weighted = 0;
    double tokens = 0;
    for (const ShardLoss& shard : step.shards) {
      const auto count = static_cast<double>(*shard.tokens);
      counts.insert(*shard.tokens);
      plain += shard.loss;
      weighted += count * shard.loss;
      tokens += count;
    }
    if (counts.size() < 2 || tokens == 0) return;
    // Losses that were divided before the backward pass add up to the mean.
    const auto number = static_cast<double>(step.shards.size());
    const double means = plain / number;
    const double over_tokens = weighted / tokens;
    const bool whole = is_close(found, means) && is_close(right, over_tokens);
    const bool divided = is_close(found, plain) && is_close(right, over_tokens * number);
    if (whole || divided) add_mean(step, found, right);
  }

  void add_mean(const StepLosses& step, double found, double right) {
    std::set<std::int32_t> ranks;
    for (const ShardLoss& shard : step.shards) ranks.insert(shard.rank);
    const bool over_ranks = ranks.size() > 1;
    add("mean-of-means",
        decimal_loss(found) + (over_ranks ? " = mean of rank means" : " = average of micro-batch means") +
            "; token-weighted would be " + decimal_loss(right) + (over_ranks ? std::string(ranks_text()) : ""),
        found);
  }

  static std::string_view ranks_text() { return "; before the reduction the ranks agree, after it they do not"; }

  static std::optional<std::int64_t> row_of(const TraceView& trace, const RecordId& id) {
    const auto found = std::ranges::find(trace.records, id, &Record::id);
    if (found == trace.records.end()) return std::nullopt;
    return found - trace.records.begin();
  }

  void explain_shares() {
    if (id().role != Role::param_grad || id().pass != Pass::update) return;
    const auto row = row_of(b_, root_.pair.id_b);
    if (!row) return;
    if (const auto text = explain_total(b_, *row)) add("gradient-shares", *text);
  }

  static const LayerCall* call(const CallIndex& calls, RecordId of, std::int32_t rank) {
    of.rank = rank;
    const LayerCall* found = calls.call_of(of);
    return found && found->random >= 0 ? found : nullptr;
  }

  // B's rank draws what rank 0 draws, and A's does not.
  void explain_random_state() {
    const RecordId& of_b = root_.pair.id_b;
    if (of_b.rank == 0 || of_b.role != Role::output) return;
    const CallIndex calls_a(a_.calls);
    const CallIndex calls_b(b_.calls);
    const auto same = [](const TraceView& trace, const CallIndex& calls, const RecordId& at) -> std::optional<bool> {
      const LayerCall* own = call(calls, at, at.rank);
      const LayerCall* first = call(calls, at, 0);
      if (!own || !first) return std::nullopt;
      return own->random == first->random || trace.blob(own->random) == trace.blob(first->random);
    };
    if (same(b_, calls_b, of_b) == true && same(a_, calls_a, id()) == false)
      add("stale-seed", "rank " + std::to_string(of_b.rank) + " draws from the random state of rank 0: stale seed");
  }

  const TraceView& a_;
  const TraceView& b_;
  const Report& report_;
  const Divergence& root_;
  std::vector<Diagnosis> result_;
};

}  // namespace

std::vector<Diagnosis> variant_hints(const TraceView& a, const TraceView& b, const Report& report) {
  return report.roots.empty() ? std::vector<Diagnosis>{} : VariantHints(a, b, report).run();
}

}  // namespace goldentrace
