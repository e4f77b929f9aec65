#include "diff/check/check_report.h"

#include <string>

#include "diff/check/trace_checks.h"
#include "diff/number.h"
#include "diff/pair_judge.h"

namespace goldentrace {

namespace {

const Record& record(const TraceView& trace, std::int64_t row) { return trace.records[static_cast<std::size_t>(row)]; }

CheckedTrace listed(const TraceView& trace, const std::string& name, const TraceChecks& checks) {
  CheckedTrace result{
      name, checks.replicas, checks.recomputed, checks.carried, checks.collectives, checks.recomputed_layers, {}};
  for (const TraceFinding& each : checks.findings) {
    result.findings.push_back({each.kind, record(trace, each.row).id, record(trace, each.reference).id, each.text});
  }
  return result;
}

Origin origin_of(const TraceFinding& finding, const RecordId& id) {
  if (finding.kind == "random-state" || finding.text.ends_with("RNG not restored")) return Origin::random;
  return id.role == Role::param || id.role == Role::buffer ? Origin::weight : Origin::introduced;
}

Divergence divergence_of(const TraceView& trace, const TraceFinding& finding) {
  const Record& wrong = record(trace, finding.row);
  const Record& right = record(trace, finding.reference);
  Gate gate;
  gate.kind = GateKind::bitwise;
  Divergence result;
  result.pair = {wrong.id, wrong.id, right.dtype, wrong.dtype, right.shape, wrong.shape, {}, "bitwise", {}, {}, {}, {}};
  result.pair.judgement = judge_pair(trace, trace, {{finding.reference, finding.row}, &gate});
  result.origin = origin_of(finding, wrong.id);
  result.explanation = finding.text;
  if (finding.reference != finding.row) result.explanation += "; held against " + describe(right.id);
  return result;
}

// The first finding is where the traces part, unless a pair of records says so.
void conclude(const TraceView& trace, const std::string& who, const TraceChecks& checks, Report& report) {
  if (checks.findings.empty() || report.verdict == Verdict::incomparable) return;
  const TraceFinding& first = checks.findings.front();
  const RecordId& id = record(trace, first.row).id;
  if (report.verdict == Verdict::same) {
    report.verdict = Verdict::diverged;
    report.reason = (who.empty() ? "" : who + " alone: ") + first.text + ": " + describe(id);
  }
  const bool alone = report.roots.empty();
  if (alone) report.roots.push_back(divergence_of(trace, first));
  if (alone || report.roots.front().pair.id_b == id) report.diagnosis.push_back({first.kind, first.text, false, {}});
}

std::string summary(const TraceChecks& checks) {
  std::string text;
  const auto add = [&text](std::int64_t count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(checks.replicas, "copies");
  add(checks.recomputed, "recomputed records");
  add(checks.carried, "carried parameters");
  add(checks.collectives, "results of reductions");
  return text + " checked, all agree";
}

}  // namespace

void add_checks(const TraceView& a, const TraceView& b, const DiffOptions& options, Report& report) {
  for (const auto& [trace, who] : {std::pair(&b, "B"), std::pair(&a, "A")}) {
    const TraceChecks checks = check_trace(*trace, options.filter);
    report.checks.insert(report.checks.begin(), listed(*trace, who, checks));
    conclude(*trace, who, checks, report);
  }
}

Report check_report(const TraceView& trace, const DiffOptions& options) {
  Report report;
  report.a = trace.path;
  report.gate = "bitwise";
  const TraceChecks checks = check_trace(trace, options.filter);
  report.checks.push_back(listed(trace, "", checks));
  report.compared = checks.checked();
  report.mismatched = static_cast<std::int64_t>(checks.findings.size());
  report.bitwise_equal = report.compared - report.mismatched;
  if (report.compared == 0) {
    report.verdict = Verdict::incomparable;
    report.reason =
        "nothing to check: one rank, no recomputed layer, and no parameter carried from one recorded step to the next";
    return report;
  }
  report.reason = summary(checks);
  conclude(trace, "", checks, report);
  return report;
}

}  // namespace goldentrace
