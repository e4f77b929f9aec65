#include "cli/verify.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/document.h"
#include "cli/number.h"
#include "cli/progress.h"
#include "cli/rewritten_note.h"
#include "traces/recover.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

const char* const examples =
    "Examples:\n"
    "  gtrace verify run.h5\n"
    "  gtrace verify run.h5 --quiet && echo intact\n\n";

void print_parts(const TraceReader& trace) {
  std::size_t payloads = 0;
  for (std::size_t row = 0; row < trace.records().size(); ++row) {
    if (trace.has_payload(static_cast<std::int64_t>(row))) ++payloads;
  }
  std::cout << "records with payload\t" << payloads << "\nfingerprints only\t" << trace.records().size() - payloads
            << "\nlayer calls\t" << trace.calls().size() << "\nheader facts\t" << trace.header().size() << '\n';
}

void report(const TraceReader& trace, std::uint64_t bytes, const OutputOptions& options) {
  const std::size_t records = trace.records().size();
  if (options.json) {
    const nlohmann::ordered_json json = {{"schema", "goldentrace.verify/1"},
                                         {"file", trace.path().string()},
                                         {"intact", true},
                                         {"records", records},
                                         {"layer_calls", trace.calls().size()},
                                         {"tapes", trace.tape_count()},
                                         {"bytes", bytes},
                                         {"being_rewritten", trace.being_rewritten()}};
    print_document(json);
  } else if (options.text()) {
    if (options.verbose) print_parts(trace);
    std::cout << trace.path().string() << ": intact, " << records << " records, " << trace.tape_count() << " tapes, "
              << human_bytes(bytes) << '\n';
  }
}

ExitCode run_verify_journal(const VerifyOptions& options) {
  JournalSummary summary;
  {
    Progress progress("verify", options.output);
    summary =
        verify_journal(options.trace, [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); });
  }
  const std::string file = options.trace.string();
  if (options.output.json) {
    const nlohmann::ordered_json json = {
        {"schema", "goldentrace.verify/1"},   {"file", file},           {"intact", true},
        {"records", summary.records},         {"steps", summary.steps}, {"bytes", summary.bytes},
        {"dropped_bytes", summary.torn_bytes}};
    print_document(json);
  } else if (options.output.text()) {
    std::cout << file << ": a journal, intact, " << summary.steps << " committed steps, " << summary.records
              << " records, " << human_bytes(summary.bytes) << "; make a trace of it with: gtrace recover " << file
              << '\n';
  }
  return ExitCode::same;
}

}  // namespace

void add_verify(CLI::App& app, ExitCode& result) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check every hash of a trace or journal");
  command->add_option("trace", options->trace, "The trace")->required()->type_name("FILE");
  add_output_options(*command, options->output);
  command->footer(examples + exit_code_help());
  command->callback([options, &result] { result = run_verify(*options); });
}

ExitCode run_verify(const VerifyOptions& options) {
  if (is_journal(options.trace)) return run_verify_journal(options);
  const TraceReader trace(options.trace);
  note_if_rewritten(trace, options.output);
  {
    Progress progress("verify", options.output);
    trace.verify([&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); });
  }
  report(trace, trace.file_bytes(), options.output);
  return ExitCode::same;
}

}  // namespace goldentrace
