#include "diff/text_report.h"

#include <algorithm>
#include <map>
#include <vector>

#include "diff/loss_text.h"
#include "diff/number.h"
#include "diff/pair_text.h"
#include "diff/quality_text.h"
#include "traces/printable.h"

namespace goldentrace {

namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// Equal lines, as one with their number.
class Lines {
 public:
  void add(const std::string& line) {
    const auto [place, added] = counts_.try_emplace(line, 0);
    if (added) order_.push_back(line);
    ++place->second;
  }

  std::vector<std::string> counted() const {
    std::vector<std::string> result;
    for (const std::string& line : order_) {
      const std::int64_t count = counts_.at(line);
      result.push_back(line + (count > 1 ? ", " + goldentrace::counted(count, "record") : ""));
    }
    return result;
  }

 private:
  std::map<std::string, std::int64_t> counts_;
  std::vector<std::string> order_;
};

class Writer {
 public:
  Writer(const Report& report, const TextReportOptions& options) : report_(report), options_(options) {}

  std::string write() {
    head();
    line(verdict());
    if (!report_.roots.empty()) first_divergence(report_.roots.front());
    other_roots();
    ids("missing (in A only)", report_.missing);
    ids("extra (in B only)", report_.extra);
    ids("passed through: an input handed on by one side only, compared as that input", report_.passed_through);
    for (const CheckedTrace& each : report_.checks) findings(each);
    relation_lists();
    pairs("absorbed: differs, but all that reads it agrees", report_.absorbed_records,
          static_cast<std::int64_t>(report_.absorbed_records.size()));
    pairs("mismatches in execution order", report_.mismatches, report_.mismatched);
    pairs("closest to the gate", report_.closest, report_.within_gate);
    quality();
    losses();
    nonfinite("A", report_.nonfinite_a);
    nonfinite("B", report_.nonfinite_b);
    if (report_.first_unequal) line("first record that is not bit-equal: " + describe(*report_.first_unequal));
    for (const CheckedTrace& each : report_.checks) recomputed_layers(each);
    counts();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += printable(text) + "\n"; }
  void field(const std::string& name, const std::string& value) {
    if (!value.empty()) line("  " + padded(name, 12) + value);
  }

  void head() {
    if (report_.b.empty()) {
      line("trace " + report_.a.string());
      line("");
      return;
    }
    line("A " + report_.a.string());
    line("B " + report_.b.string());
    const std::string nan = report_.nan == NanPolicy::same ? "NaN equals NaN" : "NaN differs from NaN";
    line("gate " + report_.gate + ", " + nan);
    relation();
    for (const std::string& note : report_.notes) line("note: " + note);
    if (!report_.header.empty()) line("header");
    const auto absent = [](const std::string& value) { return value.empty() ? std::string("(absent)") : value; };
    for (const HeaderDifference& each : report_.header) {
      line("  " + padded(each.name, 24) + " " + absent(each.a) + " | " + absent(each.b));
    }
    line("");
  }

  void relation() {
    const RelationReport& used = report_.relation;
    if (used.name.empty()) return;
    line("relation " + used.name + " (" + used.chosen + ")" + (used.sides.empty() ? "" : ": " + used.sides));
  }

  void inferred() {
    const RelationReport& used = report_.relation;
    list("not matched by inference", used.unmatched, used.unmatched.size());
    if (used.toml.empty()) return;
    line("inferred relation");
    for (std::size_t begin = 0; begin < used.toml.size();) {
      const std::size_t end = std::min(used.toml.size(), used.toml.find('\n', begin));
      line("  " + used.toml.substr(begin, end - begin));
      begin = end + 1;
    }
    line("");
  }

  void findings(const CheckedTrace& checked) {
    std::vector<std::string> lines;
    for (const FindingReport& each : checked.findings) lines.push_back(describe(each.id) + ": " + each.text);
    const std::string who = checked.trace.empty() ? "found" : "found in " + checked.trace + " alone";
    list(who, lines, lines.size());
  }

  // Layers that ran again during the backward pass, and whether they did the same.
  void recomputed_layers(const CheckedTrace& checked) {
    const std::vector<std::string>& layers = checked.recomputed_layers;
    if (layers.empty()) return;
    const std::size_t shown = std::min(layers.size(), limit());
    std::string names;
    for (std::size_t i = 0; i < shown; ++i) names += (i > 0 ? ", " : "") + layers[i];
    if (shown < layers.size()) names += " … and " + std::to_string(layers.size() - shown) + " more";
    const auto unlike = std::ranges::count(checked.findings, "recompute", &FindingReport::kind);
    line("recomputed layers" + (checked.trace.empty() ? "" : " of " + checked.trace) + ": " + names + ": " +
         (unlike == 0 ? "all equal to their first forward"
                      : counted(unlike, "record") + " of " + std::to_string(checked.recomputed) +
                            " not equal to the first forward"));
  }

  // Each relation with its lines.
  void used_lines() {
    std::vector<std::string> names;
    for (const UsedLine& each : report_.relation.used) {
      if (names.empty() || names.back() != each.relation) names.push_back(each.relation);
    }
    for (const std::string& name : names) {
      std::vector<std::string> lines;
      for (const UsedLine& each : report_.relation.used) {
        if (each.relation == name) lines.push_back(used_line(each));
      }
      list("lines of the relation " + name + " that were used", lines, lines.size());
    }
  }

  static std::string used_line(const UsedLine& used) {
    return "line " + std::to_string(used.line) + ": " + used.records + ": " + used.form + ", " +
           counted(used.records_a, "record") + " of A, " + std::to_string(used.records_b) + " of B";
  }

  // What a relation did not compare whole, or not at all.
  void relation_lists() {
    const RelationReport& used = report_.relation;
    used_lines();
    inferred();
    ids("copies that are not equal to the first one", used.unequal_copies);
    Lines partial;
    for (const PartialReport& each : used.partial) {
      partial.add(each.id.layer + " " + std::string(name(each.id.role)) + ": " + each.text);
    }
    list("compared in part", partial.counted(), used.partial.size());
    Lines left_out;
    for (const LeftOutReport& each : used.left_out) {
      left_out.add(each.side + " " + each.id.layer + ": " + each.reason);
    }
    list("left out by the relation, not compared", left_out.counted(), used.left_out.size());
  }

  void list(const std::string& title, const std::vector<std::string>& lines, std::size_t all) {
    if (lines.empty()) return;
    line(title + " (" + std::to_string(all) + ")");
    const std::size_t shown = std::min(lines.size(), limit());
    for (std::size_t i = 0; i < shown; ++i) line("  " + lines[i]);
    more(lines.size(), shown);
  }

  std::string verdict() const {
    switch (report_.verdict) {
      case Verdict::same:
        return "SAME: " + report_.reason;
      case Verdict::diverged:
        return "DIVERGED: " + report_.reason;
      case Verdict::incomparable:
        return "INCOMPARABLE: " + report_.reason;
    }
    return {};
  }

  void first_divergence(const Divergence& root) {
    field("origin", std::string(name(root.origin)) + ": " + root.explanation);
    if (root.op) field("op", "#" + std::to_string(root.op->ordinal) + " " + root.op->name + ": " + root.op->text);
    tensor(root.pair);
    tape(root);
    for (const Diagnosis& each : report_.diagnosis) field(each.proved ? "cause" : "hint", each.text);
    if (!report_.b.empty()) {
      field("certified", std::to_string(report_.certified_prefix) + " of " +
                             counted(report_.compared, "compared record") + " come before it and agree");
    }
    if (report_.followers > 0) field("follows", followers());
    field("replay", root.replay_command);
    line("");
  }

  std::string followers() const {
    if (report_.followers == 1) return "1 later mismatch depends on it";
    return std::to_string(report_.followers) + " later mismatches depend on it";
  }

  void tensor(const PairReport& pair) {
    field("tensor", types_text(pair));
    if (pair.id.layer != pair.id_b.layer) {
      field("in B", describe(pair.id_b));
    } else if (pair.id.index != pair.id_b.index) {
      field("names", pair.id.index + " | " + pair.id_b.index);
    }
    if (!pair.form_a.empty()) field("form of A", pair.form_a);
    if (!pair.form_b.empty()) field("form of B", pair.form_b);
    if (pair.part_a) field("part of A", describe(*pair.part_a));
    if (pair.part_b) field("part of B", describe(*pair.part_b));
    field("finding", pair.judgement.text);
    field("gate", pair.gate + use_text(pair.judgement));
    for (const std::string& metric : metric_lines(pair)) field("", metric);
  }

  void tape(const Divergence& root) {
    if (root.op && root.tape.size() == 1 && root.tape.front().text == root.op->text) return;
    const auto shown = std::min<std::size_t>(root.tape.size(), limit());
    for (std::size_t i = 0; i < shown; ++i) {
      const TapeDifference& each = root.tape[i];
      const std::int64_t ordinal = each.ordinal_b >= 0 ? each.ordinal_b : each.ordinal_a;
      field(i == 0 ? "tapes" : "",
            "#" + std::to_string(ordinal) + " " + std::string(name(each.change)) + "  " + each.text);
    }
    if (shown < root.tape.size()) field("", "… and " + std::to_string(root.tape.size() - shown) + " more");
  }

  void other_roots() {
    if (report_.roots.size() < 2) return;
    line("other independent divergences (" + std::to_string(report_.roots.size() - 1) + ")");
    const std::size_t shown = std::min(report_.roots.size(), limit() + 1);
    for (std::size_t i = 1; i < shown; ++i) {
      const Divergence& root = report_.roots[i];
      line("  " + describe(root.pair.id) + ": " + std::string(name(root.origin)) + ", " +
           (root.op ? root.op->text : root.pair.judgement.text));
    }
    more(report_.roots.size(), shown);
  }

  std::size_t limit() const { return static_cast<std::size_t>(std::max<std::int64_t>(0, options_.limit)); }

  void more(std::size_t all, std::size_t shown) {
    if (shown < all) line("  … and " + std::to_string(all - shown) + " more");
    line("");
  }

  void ids(const std::string& title, const std::vector<RecordId>& records) {
    if (records.empty()) return;
    line(title + " (" + std::to_string(records.size()) + ")");
    const std::size_t shown = std::min(records.size(), limit());
    for (std::size_t i = 0; i < shown; ++i) line("  " + describe(records[i]));
    more(records.size(), shown);
  }

  void pairs(const std::string& title, const std::vector<PairReport>& records, std::int64_t all) {
    if (records.empty()) return;
    line(title + " (" + std::to_string(all) + ")");
    const std::size_t shown = std::min(records.size(), limit());
    for (std::size_t i = 0; i < shown; ++i) line("  " + describe(records[i].id) + ": " + summary(records[i]));
    more(static_cast<std::size_t>(all), shown);
  }

  void losses() {
    const std::vector<std::string> lines = loss_lines(report_.losses, limit());
    if (lines.empty()) return;
    line("losses per step (" + std::to_string(report_.losses.points.size()) + ")");
    for (const std::string& each : lines) line(each);
    line("");
  }

  void quality() {
    if (!report_.quality) return;
    for (const std::string& each : quality_lines(*report_.quality)) line(each);
    line("");
  }

  void nonfinite(const std::string& side, const std::optional<NonFinite>& found) {
    if (!found) return;
    const std::string place =
        found->flat_index < 0 ? "" : " " + show_list(coordinates(found->flat_index, found->shape));
    line("first non-finite value of " + side + ": " + describe(found->id) + place + " is " + found->value);
  }

  void checked() {
    const CheckedTrace& of = report_.checks.front();
    line(std::to_string(of.replicas) + " copies, " + std::to_string(of.recomputed) + " recomputed records, " +
         std::to_string(of.carried) + " carried parameters, " + std::to_string(of.collectives) +
         " results of reductions checked; " + std::to_string(of.findings.size()) + " differ");
  }

  std::string left_out_text() const {
    const std::size_t count = report_.relation.left_out.size();
    return count == 0 ? "" : ", " + std::to_string(count) + " left out";
  }

  void counts() {
    if (report_.b.empty()) return checked();
    line(std::to_string(report_.compared) + " compared: " + std::to_string(report_.bitwise_equal) + " bit-equal, " +
         std::to_string(report_.within_gate) + " within the gate, " + std::to_string(report_.mismatched) +
         " mismatched, " + std::to_string(report_.absorbed) + " absorbed; " + std::to_string(report_.missing.size()) +
         " missing, " + std::to_string(report_.extra.size()) + " extra" + left_out_text() + "; certified prefix " +
         std::to_string(report_.certified_prefix));
  }

  const Report& report_;
  const TextReportOptions& options_;
  std::string text_;
};

}  // namespace

std::string to_text(const Report& report, const TextReportOptions& options) { return Writer(report, options).write(); }

}  // namespace goldentrace
