#include "diff/quality_text.h"

#include <numeric>

#include "diff/number.h"

namespace goldentrace {

namespace {

std::string percent(double share) { return show(100 * share, 6) + " %"; }

std::string bucket_name(std::size_t bucket) {
  if (bucket < 2) return std::to_string(bucket) + " ulp";
  const std::uint64_t first = std::uint64_t{1} << (bucket - 1);
  if (bucket + 1 == ulp_buckets) return "more";
  return std::to_string(first) + "-" + std::to_string(2 * first - 1) + " ulp";
}

std::string both(const std::string& what, double a, double b) { return what + " " + show(a, 8) + " | " + show(b, 8); }

std::vector<std::string> target_lines(const QualityReport& report) {
  const QualityFigures& found = report.figures;
  if (found.targets == 0) return {"  no targets: neither likelihood nor accuracy"};
  const ModelQuality& a = found.a;
  const ModelQuality& b = found.b;
  return {
      "  " + counted(found.targets, "target") + " of " + report.targets + ", " + counted(found.documents, "document"),
      "  " + both("log-likelihood", a.log_likelihood, b.log_likelihood) + ", " +
          both("perplexity", a.perplexity, b.perplexity),
      "  " + both("documents with every target right", a.accuracy, b.accuracy) + ", " +
          both("with the last one right", a.last_token_accuracy, b.last_token_accuracy) + ", " +
          both("perplexity per document", a.document_perplexity, b.document_perplexity)};
}

}  // namespace

std::string ulp_shares(const std::array<std::int64_t, ulp_buckets>& histogram) {
  const auto all = static_cast<double>(std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0}));
  std::string text;
  for (std::size_t bucket = 0; bucket < histogram.size(); ++bucket) {
    if (histogram[bucket] == 0) continue;
    text +=
        (text.empty() ? "" : ", ") + bucket_name(bucket) + " " + percent(static_cast<double>(histogram[bucket]) / all);
  }
  return text;
}

std::vector<std::string> quality_lines(const QualityReport& report) {
  const QualityFigures& found = report.figures;
  std::vector<std::string> lines{"quality of " + report.layers + " (" + counted(found.positions, "position") + ", " +
                                     counted(found.columns, "column") + ")",
                                 "  KL " + show(found.kl, 6) + " (worst position " + show(found.max_kl, 6) +
                                     "), top-1 agreement " + percent(found.top1)};
  for (const std::string& line : target_lines(report)) lines.push_back(line);
  lines.push_back("  equal logits " + percent(found.equal_fraction) + ", max abs " + show(found.max_abs, 6) +
                  ", relative error " + show(found.rel_frobenius, 6));
  if (const std::string shares = ulp_shares(found.ulp_histogram); !shares.empty()) lines.push_back("  " + shares);
  if (found.nonfinite_positions > 0) {
    lines.push_back("  " + counted(found.nonfinite_positions, "position") + " with NaN or infinity left out");
  }
  for (const QualityGate& gate : report.gates) {
    lines.push_back("  " + gate.name + " " + show_exact(gate.limit) + ": " + show(gate.value, 6) +
                    (gate.passes ? ", within" : ", OUT OF IT"));
  }
  return lines;
}

}  // namespace goldentrace
