#include "cli/recover.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "cli/command_line.h"
#include "cli/number.h"
#include "cli/output_path.h"
#include "cli/progress.h"
#include "traces/error.h"
#include "traces/recover.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

const char* const examples =
    "Examples:\n"
    "  gtrace recover run.h5.journal\n"
    "  gtrace recover run.h5.journal -o until-the-crash.h5\n\n";

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

nlohmann::ordered_json to_json(const RecoverResult& result) {
  const auto name = [](const std::filesystem::path& file) {
    return file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(file.string());
  };
  nlohmann::ordered_json json = {{"journal", name(result.journal)}, {"trace", name(result.trace)}};
  json["steps"] = result.steps;
  json["records"] = result.records;
  json["dropped_bytes"] = result.dropped_bytes;
  json["was_sealed"] = result.was_sealed;
  return json;
}

std::string to_text(const RecoverResult& result) {
  if (result.trace.empty()) return result.journal.string() + ": no step was written to it; removed";
  std::string text = result.trace.string() + ": " + counted(result.steps, "step") + ", " +
                     counted(result.records, "record") + (result.was_sealed ? ", complete already" : " recovered");
  if (result.journal.empty()) text += "; there is nothing to recover";
  if (result.dropped_bytes > 0) text += "; " + human_bytes(result.dropped_bytes) + " behind the last step left out";
  return text;
}

void report(const std::vector<RecoverResult>& results, const OutputOptions& options) {
  if (options.json) {
    nlohmann::ordered_json json = {{"schema", "goldentrace.recover/1"}, {"traces", nlohmann::ordered_json::array()}};
    for (const RecoverResult& result : results) json["traces"].push_back(to_json(result));
    std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  } else if (options.text()) {
    for (const RecoverResult& result : results) std::cout << to_text(result) << '\n';
  }
}

RecoverOptions options_of(const RecoverArguments& arguments) {
  RecoverOptions options{.output = arguments.output};
  if (arguments.force) options.replace = RecoverOptions::Replace::always;
  if (arguments.keep_before_damage) options.damage = RecoverOptions::Damage::keep_what_is_before;
  return options;
}

// A trace without a journal, or the segments of one.
RecoverResult complete_trace(const RecoverArguments& arguments) {
  const TraceReader trace(arguments.journal);
  if (!arguments.output.empty()) {
    throw Error(ErrorCode::usage, "is complete, there is nothing to recover; copy it instead",
                {arguments.journal.string(), ""});
  }
  std::set<std::int64_t> steps;
  for (const Record& record : trace.records()) steps.insert(record.id.step);
  return {.trace = trace.path(), .steps = steps.size(), .records = trace.records().size(), .was_sealed = true};
}

std::vector<RecoverResult> recover_all(const RecoverArguments& arguments) {
  std::vector<std::filesystem::path> journals = journals_of(arguments.journal);
  if (journals.empty()) {
    if (!is_journal(arguments.journal)) return {complete_trace(arguments)};
    journals.push_back(arguments.journal);
  }
  if (journals.size() > 1 && !arguments.output.empty()) {
    throw Error(ErrorCode::usage, "has " + std::to_string(journals.size()) + " journals; recover them without -o",
                {arguments.journal.string(), ""});
  }
  std::vector<RecoverResult> results;
  Progress progress("recover", arguments.output_options);
  for (const std::filesystem::path& journal : journals) {
    results.push_back(recover_journal(journal, options_of(arguments),
                                      [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }));
  }
  return results;
}

}  // namespace

void add_recover(CLI::App& app, ExitCode& result) {
  auto arguments = std::make_shared<RecoverArguments>();
  CLI::App* command = app.add_subcommand("recover", "Make a trace of what an interrupted recording has committed");
  command->add_option("journal", arguments->journal, "The journal, or the trace that it was for")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", arguments->output,
                   "The trace to write (default: the journal's name without .journal)")
      ->type_name("FILE");
  command->add_flag("--force", arguments->force, "Replace a trace that is newer than the journal, or the file of -o");
  command->add_flag("--keep-before-damage", arguments->keep_before_damage,
                    "Recover the steps before a damaged place; the journal stays");
  add_output_options(*command, arguments->output_options);
  command->footer(examples + exit_code_help());
  command->callback([arguments, &result] { result = run_recover(*arguments); });
}

ExitCode run_recover(const RecoverArguments& arguments) {
  if (!arguments.output.empty()) check_output_path(arguments.output);
  report(recover_all(arguments), arguments.output_options);
  return ExitCode::same;
}

}  // namespace goldentrace
