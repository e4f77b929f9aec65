#include "replayer/text_report.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "diff/number.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

// What the verdict of a record is, without the call that it belongs to.
std::string short_name(const RecordId& id) {
  const bool backward = id.pass == Pass::backward;
  return std::string(backward ? "backward · " : "") + std::string(name(id.role)) + " " + id.index;
}

std::string dtypes(const ReplayedTensor& tensor) {
  std::string text(name(tensor.recorded_dtype));
  if (tensor.replayed_dtype != tensor.recorded_dtype) text += " | " + std::string(name(tensor.replayed_dtype));
  return text;
}

std::string values(const ReplayedTensor& tensor) {
  const Judgement& judgement = tensor.judgement;
  if (judgement.place < 0) return "";
  return "at " + show_list(coordinates(judgement.place, tensor.shape)) + " recorded " + show(judgement.a, 9) +
         ", replayed " + show(judgement.b, 9);
}

std::string errors(const Judgement& judgement) {
  const Comparison& found = judgement.comparison;
  if (judgement.estimated) return "relative error about " + show(found.rel_frobenius) + " (estimated)";
  if (!judgement.measured) return "";
  std::string text = "max abs " + show(found.max_abs);
  const bool said = judgement.text.find("relative error") != std::string::npos;
  if (!said) text += ", relative error " + show(found.rel_frobenius);
  return text + ", at most " + std::to_string(found.max_ulp) + " ulp";
}

// Labels, notes and reasons come from a file: as one line that no terminal acts upon.
void print_line(std::ostream& out, const std::ostringstream& line) { out << printable(line.str()) << '\n'; }

void print_tensor(std::ostream& all, const ReplayedTensor& tensor) {
  std::ostringstream out;
  out << "    " << short_name(tensor.id) << " · " << dtypes(tensor) << " " << show_list(tensor.shape) << " · "
      << name(tensor.verdict);
  if (tensor.verdict != ReplayVerdict::bit_equal) out << " (" << tensor.gate << ")";
  for (const std::string& part :
       {tensor.reason.empty() ? tensor.judgement.text : tensor.reason, values(tensor), errors(tensor.judgement)}) {
    if (!part.empty()) out << " · " << part;
  }
  print_line(all, out);
}

bool is_shown(const ReplayedTensor& tensor, Detail detail) {
  return detail == Detail::verbose || tensor.verdict != ReplayVerdict::bit_equal;
}

void print_note(std::ostream& out, const std::string& indent, const std::string& note) {
  out << indent << "note: " << printable(note) << '\n';
}

void print_call(std::ostream& all, const ReplayedCall& call, Detail detail) {
  std::ostringstream out;
  out << "  " << describe(call) << " · " << name(call.verdict);
  if (!call.tensors.empty()) out << " · " << counted(static_cast<std::int64_t>(call.tensors.size()), "record");
  if (call.verdict == ReplayVerdict::unsupported && !call.reason.empty()) out << " · " << call.reason;
  print_line(all, out);
  for (const std::string& note : call.notes) print_note(all, "    ", note);
  for (const ReplayedTensor& tensor : call.tensors) {
    if (is_shown(tensor, detail)) print_tensor(all, tensor);
  }
}

void print_heading(std::ostream& all, const ReplayReport& report) {
  std::ostringstream out;
  out << "replay " << report.trace.string();
  if (!report.inputs.empty()) out << " · inputs of " << report.inputs.string();
  if (!report.tape_from.empty()) out << " · tape of " << report.tape_from.string();
  out << " · gate " << report.gate << " · " << counted(report.threads, "thread");
  print_line(all, out);
  for (const std::string& note : report.notes) print_note(all, "  ", note);
}

std::string totals(const ReplayReport& report) {
  std::map<ReplayVerdict, std::int64_t> calls;
  for (const ReplayedCall& call : report.calls) ++calls[call.verdict];
  std::string text = counted(static_cast<std::int64_t>(report.calls.size()), "call") + ":";
  bool first = true;
  for (const auto& [verdict, count] : calls) {
    text += (first ? " " : ", ") + std::to_string(count) + " " + std::string(name(verdict));
    first = false;
  }
  return text;
}

}  // namespace

std::string text_report(const ReplayReport& report, Detail detail) {
  std::ostringstream out;
  print_heading(out, report);
  for (const ReplayedCall& call : report.calls) print_call(out, call, detail);
  for (const NotReplayed& left : report.not_replayed) {
    out << "  not replayed: " << printable(left.layer) << " " << name(left.pass) << " (" << counted(left.calls, "call")
        << "): " << left.reason << '\n';
  }
  out << totals(report) << '\n';
  return out.str();
}

}  // namespace goldentrace
