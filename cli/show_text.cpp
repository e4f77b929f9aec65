#include "cli/show_text.h"

#include "cli/layer_summary.h"
#include "cli/number.h"
#include "cli/recording_facts.h"
#include "cli/segment_list.h"
#include "cli/tensor_text.h"
#include "cli/text_table.h"
#include "traces/hash.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

std::string micro_text(std::int64_t micro) { return micro == no_micro ? "-" : std::to_string(micro); }

void print_header(std::ostream& out, const TraceReader& trace) {
  TextTable table({"header", "value"});
  for (const auto& [key, value] : trace.header()) table.add({key, value});
  if (!table.empty()) table.print(out, stdout_style());
  const std::string recording = recording_text(trace.header());
  if (!recording.empty()) out << "\nrecording: " << recording << '\n';
  for (const SegmentFile& segment : segment_files(trace.path())) {
    out << "segment " << printable(segment.file.string()) << ", " << human_bytes(segment.bytes) << '\n';
  }
}

void print_layers(std::ostream& out, const TraceReader& trace) {
  TextTable table({"layer", "pass", "calls", "inputs", "outputs", "params", "replayable", "note"});
  for (const LayerSummary& line : summarize_layers(trace)) {
    table.add({line.layer, std::string(name(line.pass)), std::to_string(line.calls), std::to_string(line.inputs),
               std::to_string(line.outputs), std::to_string(line.params), std::string(name(line.replayable)),
               line.note});
  }
  out << '\n';
  table.print(out, stdout_style());
}

void print_losses(std::ostream& out, const TraceReader& trace) {
  TextTable table({"loss of step", "micro", "value"});
  for (const LossValue& loss : losses(trace)) {
    table.add({std::to_string(loss.step), micro_text(loss.micro.value_or(no_micro)), decimal(loss.value)});
  }
  out << '\n';
  if (table.empty()) {
    out << "no losses\n";
  } else {
    table.print(out, stdout_style());
  }
}

std::string payload_text(const TraceReader& trace, std::int64_t row) {
  if (trace.has_payload(row)) return "payload";
  return trace.records()[static_cast<std::size_t>(row)].dropped ? "dropped" : "fingerprint";
}

std::vector<std::string> statistics_cells(const Statistics& statistics) {
  return {decimal(statistics.min),
          decimal(statistics.max),
          decimal(statistics.mean),
          decimal(statistics.l2),
          std::to_string(statistics.nan_count),
          std::to_string(statistics.inf_count),
          std::to_string(statistics.zero_count)};
}

void append(std::vector<std::string>& row, std::vector<std::string> cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

std::string flags_text(const Record& record) {
  std::string text;
  if (record.external) text += "external";
  if (record.declared) text += std::string(text.empty() ? "" : ", ") + "declared";
  return text;
}

void print_calls(std::ostream& out, const TraceReader& trace, const std::vector<std::int64_t>& rows) {
  TextTable table({"layer", "step", "micro", "rank", "pass", "call", "tape", "replayable", "note"});
  for (const std::int64_t row : rows) {
    const LayerCall& call = trace.calls()[static_cast<std::size_t>(row)];
    table.add({call.layer, std::to_string(call.step), micro_text(call.micro), std::to_string(call.rank),
               std::string(name(call.pass)), std::to_string(call.call), call.tape < 0 ? "-" : std::to_string(call.tape),
               std::string(name(call.replayable)), call.note});
  }
  if (table.empty()) {
    out << "no calls recorded\n";
  } else {
    table.print(out, stdout_style());
  }
}

std::string external_text(const TapeValue& value) {
  return std::string(name(value.role)) + " " + (value.index.empty() ? std::to_string(value.position) : value.index);
}

void print_tape(std::ostream& out, const Tape& tape) {
  for (std::size_t i = 0; i < tape.values.size(); ++i) {
    const TapeValue& value = tape.values[i];
    if (value.source != ValueSource::external) continue;
    out << '%' << i << " = " << printable(external_text(value)) << " : " << name(value.dtype) << shape_text(value.shape)
        << '\n';
  }
  for (const TapeOp& op : tape.ops) {
    out << printable(describe(tape, op));
    if (op.label != tape.layer && !op.label.empty()) out << "  # " << printable(op.label);
    out << '\n';
  }
  for (const TapeOutput& output : tape.outputs) out << "output " << output.position << " = %" << output.value << '\n';
  if (!tape.unsupported.empty()) out << "cannot be replayed: " << printable(tape.unsupported) << '\n';
}

}  // namespace

void print_overview(std::ostream& out, const TraceReader& trace) {
  print_header(out, trace);
  print_layers(out, trace);
  print_losses(out, trace);
  out << '\n';
}

void print_records(std::ostream& out, const TraceReader& trace, const std::vector<std::int64_t>& rows,
                   const RecordListing& listing) {
  std::vector<std::string> heads{"record", "dtype", "shape", "hash", "kept", "flags"};
  if (listing.statistics) append(heads, {"min", "max", "mean", "l2", "nan", "inf", "zero"});
  TextTable table(heads);
  std::int64_t printed = 0;
  for (const std::int64_t row : rows) {
    if (listing.limit > 0 && printed == listing.limit) break;
    ++printed;
    const Record& record = trace.records()[static_cast<std::size_t>(row)];
    std::vector<std::string> cells{to_string(record.id),     std::string(name(record.dtype)),
                                   shape_text(record.shape), to_hex(record.fingerprint.hash),
                                   payload_text(trace, row), flags_text(record)};
    if (listing.statistics) append(cells, statistics_cells(record.fingerprint.statistics));
    table.add(std::move(cells));
  }
  table.print(out, stdout_style());
  const auto left = static_cast<std::int64_t>(rows.size()) - printed;
  if (left > 0) out << "… " << left << " more of " << rows.size() << " records; --limit 0 shows all\n";
}

void print_layer(std::ostream& out, const TraceReader& trace, const LayerView& view, const RecordListing& listing) {
  print_calls(out, trace, view.calls);
  out << '\n';
  print_records(out, trace, view.records, listing);
}

void print_tapes(std::ostream& out, const TraceReader& trace, const std::vector<LayerTape>& tapes) {
  for (const LayerTape& entry : tapes) {
    const LayerCall& first = trace.calls()[static_cast<std::size_t>(entry.calls.front())];
    out << "tape " << entry.tape << " of " << printable(first.layer) << ": " << entry.calls.size()
        << (entry.calls.size() == 1 ? " call" : " calls") << ", first step " << first.step << ", " << name(first.pass)
        << '\n';
    print_tape(out, trace.tape(entry.tape));
    out << '\n';
  }
}

void print_record(std::ostream& out, const TraceReader& trace, std::int64_t row, std::int64_t limit) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  out << printable(describe(record.id)) << '\n' << type_text(record) << '\n';
  print_records(out, trace, {row}, {.statistics = true});
  for (const std::int64_t producer : record.producers) {
    out << "from " << printable(to_string(trace.records()[static_cast<std::size_t>(producer)].id)) << '\n';
  }
  if (!trace.has_payload(row)) {
    out << "values not stored (" << payload_text(trace, row) << " only)\n";
    return;
  }
  const std::vector<std::byte> bytes = trace.payload(row);
  out << tensor_text({record.dtype, record.shape, bytes}, limit) << '\n';
  const std::int64_t left = element_count(record.shape) - limit;
  if (limit > 0 && left > 0) out << "… " << left << " more values; --limit 0 shows all\n";
}

}  // namespace goldentrace
