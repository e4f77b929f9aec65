#include "diff/logit_pairs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "diff/number.h"
#include "traces/elements.h"
#include "traces/error.h"
#include "traces/glob.h"

namespace goldentrace {

namespace {

[[noreturn]] void refuse_quality(const std::string& what) {
  throw Error(ErrorCode::incomparable, "quality cannot be measured: " + what);
}

bool are_logits(const Record& record, const std::string& layer) {
  const RecordId& id = record.id;
  if (id.role != Role::output || id.pass != Pass::forward || id.index != "0" || record.shape.empty()) return false;
  if (!layer.empty()) return glob_match(layer, id.layer);
  return id.layer == "logits" || id.layer == "lm_head";
}

class QualityRun {
 public:
  QualityRun(const TraceView& a, const TraceView& b, const QualityOptions& options) : a_(a), b_(b), options_(options) {}

  QualityReport run(const Alignment& alignment) {
    for (const RecordPair& pair : alignment.pairs) {
      if (are_logits(a_.records[static_cast<std::size_t>(pair.a)], options_.layer)) add(pair);
    }
    if (report_.tensors == 0) {
      refuse_quality("no forward output of " + (options_.layer.empty() ? "logits or lm_head" : options_.layer) +
                     " is in both traces");
    }
    if (!options_.targets.empty() && used_ != options_.targets.size()) {
      refuse_quality(options_.targets_name + " has " + std::to_string(options_.targets.size()) +
                     " targets, the logits have " + counted(static_cast<std::int64_t>(used_), "position"));
    }
    for (const std::string& layer : layers_) report_.layers += (report_.layers.empty() ? "" : ", ") + layer;
    report_.figures = meter_.figures();
    return std::move(report_);
  }

 private:
  void add(const RecordPair& pair) {
    const Record& of_a = a_.records[static_cast<std::size_t>(pair.a)];
    const Record& of_b = b_.records[static_cast<std::size_t>(pair.b)];
    if (!a_.has_payload(pair.a) || !b_.has_payload(pair.b)) refuse_quality(describe(of_a.id) + " has no payload");
    const std::int64_t row = of_a.shape.size() < 2 ? 1 : of_a.shape[of_a.shape.size() - 2];
    const std::vector<std::byte> bytes_a = a_.payload(pair.a);
    const std::vector<std::byte> bytes_b = b_.payload(pair.b);
    const std::vector<std::int64_t> targets = targets_of(of_a);
    try {
      meter_.add({of_a.dtype, of_a.shape, bytes_a}, {of_b.dtype, of_b.shape, bytes_b}, targets, row);
    } catch (const Error& error) {
      refuse_quality(describe(of_a.id) + ": " + error.what());
    }
    layers_.insert(of_a.id.layer);
    ++report_.tensors;
  }

  std::vector<std::int64_t> targets_of(const Record& logits) {
    if (options_.targets.empty()) return recorded_labels(logits);
    report_.targets = options_.targets_name;
    const auto positions =
        static_cast<std::size_t>(element_count(logits.shape) / std::max<std::int64_t>(1, logits.shape.back()));
    const std::size_t end = std::min(options_.targets.size(), used_ + positions);
    const auto first = options_.targets.begin();
    std::vector<std::int64_t> result(first + static_cast<std::ptrdiff_t>(used_),
                                     first + static_cast<std::ptrdiff_t>(end));
    used_ += positions;
    return result;
  }

  std::vector<std::int64_t> recorded_labels(const Record& logits) {
    for (std::size_t row = 0; row < a_.records.size(); ++row) {
      const Record& record = a_.records[row];
      const bool labels = record.declared && record.id.index == "labels" && record.id.step == logits.id.step &&
                          record.id.micro == logits.id.micro && record.id.rank == logits.id.rank;
      if (!labels || !a_.has_payload(static_cast<std::int64_t>(row))) continue;
      report_.targets = "recorded labels";
      std::vector<std::int64_t> result;
      for (const double value : to_numbers(a_.payload(static_cast<std::int64_t>(row)), record.dtype)) {
        result.push_back(static_cast<std::int64_t>(value));
      }
      return result;
    }
    return {};
  }

  const TraceView& a_;
  const TraceView& b_;
  const QualityOptions& options_;
  QualityMeter meter_;
  QualityReport report_;
  std::set<std::string> layers_;
  std::size_t used_ = 0;
};

class Gates {
 public:
  explicit Gates(QualityReport& report) : report_(report) {}

  void at_most(const char* name, const std::optional<double>& limit, double value) {
    if (limit) add({name, *limit, value, value <= *limit});
  }
  void at_least(const char* name, const std::optional<double>& limit, double value) {
    if (limit) add({name, *limit, value, value >= *limit});
  }

 private:
  // A position with NaN or infinity says nothing about the others.
  void add(QualityGate gate) {
    gate.passes = gate.passes && report_.figures.nonfinite_positions == 0;
    report_.gates.push_back(std::move(gate));
  }

  QualityReport& report_;
};

}  // namespace

QualityReport measure_quality(const TraceView& a, const TraceView& b, const Alignment& alignment,
                              const QualityOptions& options) {
  QualityReport report = QualityRun(a, b, options).run(alignment);
  const QualityFigures& found = report.figures;
  const QualityLimits& limits = options.limits;
  if (found.targets == 0 && (limits.max_perplexity_change || limits.max_accuracy_drop)) {
    refuse_quality("perplexity and accuracy need targets: recorded labels, or --targets FILE");
  }
  Gates gates(report);
  gates.at_most("max-kl", limits.max_kl, found.kl);
  gates.at_least("min-top1", limits.min_top1, found.top1);
  gates.at_most("max-perplexity-change", limits.max_perplexity_change,
                std::abs(found.b.perplexity / found.a.perplexity - 1));
  gates.at_most("max-accuracy-drop", limits.max_accuracy_drop, found.a.accuracy - found.b.accuracy);
  gates.at_least("min-equal", limits.min_equal, found.equal_fraction);
  return report;
}

}  // namespace goldentrace
