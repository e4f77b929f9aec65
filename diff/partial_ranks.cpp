#include "diff/partial_ranks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace goldentrace {
namespace {

using Steps = std::set<std::int64_t>;

// A run that trains has a backward pass in every step but the evaluation, which one rank may do alone.
std::map<std::int32_t, Steps> steps_by_rank(const TraceView& trace) {
  const bool trains =
      std::ranges::any_of(trace.records, [](const Record& record) { return record.id.pass == Pass::backward; });
  const Pass pass = trains ? Pass::backward : Pass::forward;
  std::map<std::int32_t, Steps> steps;
  for (const Record& record : trace.records) {
    Steps& own = steps[record.id.rank];
    if (record.id.pass == pass) own.insert(record.id.step);
  }
  return steps;
}

}  // namespace

std::string missing_rank_step(const TraceView& trace) {
  const std::map<std::int32_t, Steps> ranks = steps_by_rank(trace);
  std::map<std::int64_t, std::int32_t> all;  // with the first rank that has the step
  for (const auto& [rank, steps] : ranks)
    for (const std::int64_t step : steps) all.try_emplace(step, rank);
  for (const auto& [step, other] : all)
    for (const auto& [rank, steps] : ranks)
      if (!steps.contains(step))
        return "rank " + std::to_string(rank) + " has no record of step " + std::to_string(step) + ", which rank " +
               std::to_string(other) + " has";
  return "";
}

void refuse_partial_ranks(const TraceView& trace, const std::string& side, Report& report) {
  const std::string missing = missing_rank_step(trace);
  if (missing.empty()) return;
  const std::string text = "a partial set of ranks: " + missing;
  report.notes.push_back((side.empty() ? "this is " : side + " is ") + text);
  if (report.verdict == Verdict::diverged) return;
  const std::string reason = (side.empty() ? "" : side + " is ") + text;
  report.reason = report.verdict == Verdict::incomparable ? reason + "; " + report.reason : reason;
  report.verdict = Verdict::incomparable;
}

}  // namespace goldentrace
