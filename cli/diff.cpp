#include "diff/diff.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <limits>
#include <memory>

#include "cli/choice.h"
#include "cli/command_line.h"
#include "cli/diff.h"
#include "cli/diff_positions.h"
#include "cli/diff_quality.h"
#include "cli/diff_relation.h"
#include "cli/error_report.h"
#include "cli/number_option.h"
#include "cli/report_files.h"
#include "cli/verdict_colour.h"
#include "diff/json_report.h"
#include "diff/text_report.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

const char* const examples =
    "Examples:\n"
    "  gtrace diff golden.h5 candidate.h5\n"
    "  gtrace diff golden.h5 candidate.h5 --gate bitwise --filter 'h.0.*'\n"
    "  gtrace diff golden.h5 candidate.h5 --gate allclose --atol 1e-4 --report report.json\n"
    "  gtrace diff run.h5                                   copies on ranks, recomputed layers, carried parameters\n\n";

constexpr const char* quality_gate = "quality";

void refuse_unused(const DiffCommandOptions& options) {
  const auto refuse = [&](const char* option, const char* gate) {
    throw Error(ErrorCode::usage, std::string(option) + " belongs to --gate " + gate + ", not to " + options.gate);
  };
  if (options.gate != "allclose" && options.rtol) refuse("--rtol", "allclose");
  if (options.gate != "allclose" && options.atol) refuse("--atol", "allclose");
  if (options.gate != "rel" && options.rel) refuse("--rel", "rel");
  if (options.gate != "bitwise" && options.gate != "allclose" && options.percentile) {
    refuse("--percentile", "bitwise or allclose");
  }
  if (options.percentile && *options.percentile > 100) throw Error(ErrorCode::usage, "--percentile is at most 100");
  if (options.gate == quality_gate && !options.quality.limits.any()) {
    throw Error(ErrorCode::usage, "--gate quality needs a limit, such as --max-kl or --min-top1");
  }
}

std::int64_t list_limit(const DiffCommandOptions& options) {
  const bool all = options.output.verbose || options.limit == 0;
  return all ? std::numeric_limits<std::int64_t>::max() : options.limit;
}

// The checks inside one trace have no gate and no relation.
void refuse_of_two_traces(const DiffCommandOptions& options) {
  const auto refuse = [](const char* option) {
    throw Error(ErrorCode::usage, std::string(option) + " belongs to a diff of two traces, and CANDIDATE is left out");
  };
  if (!options.relations.empty()) refuse("--relation");
  if (!options.rules.empty()) refuse("--rules");
  if (!options.mask.empty()) refuse("--mask");
  if (!options.sample.empty()) refuse("--sample");
  if (!options.repeats.empty()) refuse("--repeats");
  if (options.unscale) refuse("--unscale");
  if (options.gate != "rel" || options.rel) refuse("--gate");
  if (options.quality.asked()) refuse("--quality");
}

DiffOptions diff_options(const DiffCommandOptions& options) {
  if (options.b.empty()) refuse_of_two_traces(options);
  refuse_unused(options);
  DiffOptions result;
  if (options.gate != quality_gate) result.gate.kind = parse_gate_kind(options.gate);
  result.gate.percentile = options.percentile;
  result.positions = read_positions(options.mask, options.sample);
  result.quality = options.quality;
  result.quality.decides = options.gate == quality_gate;
  read_targets(options.targets, result.quality);
  result.gate.rtol = options.rtol;
  result.gate.atol = options.atol;
  result.gate.rel = options.rel;
  result.gate.nan = parse_nan_policy(options.nan);
  result.gate.dtypes = options.strict ? DTypePolicy::differ : DTypePolicy::note;
  if (!options.rules.empty()) result.rules = read_rules(options.rules);
  refuse_unread_limits(result.rules, result.gate.kind);
  set_relations(options.relations, result);
  result.filter = options.filter;
  result.limit = list_limit(options);
  return result;
}

void print(const Report& report, const DiffCommandOptions& options) {
  if (options.output.json) {
    std::cout << to_json(report);
  } else if (options.output.text()) {
    std::cout << coloured_verdict(to_text(report, {.limit = list_limit(options)}));
  }
  if (report.verdict == Verdict::incomparable) {
    const ErrorReport line{.program = "gtrace"};
    line.print(Error(ErrorCode::incomparable, "cannot compare: " + report.reason,
                     {report.a.string() + (report.b.empty() ? "" : " against " + report.b.string()), ""}));
  }
}

Report compare(const DiffCommandOptions& options, const DiffOptions& settings) {
  const TraceReader a(options.a);
  if (options.b.empty()) return diff(a, settings);
  const TraceReader b(options.b);
  DiffOptions all = settings;
  std::vector<std::unique_ptr<TraceReader>> repeats;
  for (const std::filesystem::path& path : options.repeats) {
    repeats.push_back(std::make_unique<TraceReader>(path));
    all.repeats.push_back(view(*repeats.back()));
  }
  if (options.unscale) set_unscale(a.header(), b.header(), all);
  return diff(a, b, all);
}

void add_gate_options(CLI::App& command, DiffCommandOptions& options) {
  choice(command.add_option("--gate", options.gate, "What counts as the same"),
         {"bitwise", "allclose", "rel", quality_gate});
  const auto tolerance = [&](const char* name, std::optional<double>& value, const char* description) {
    number_from(command.add_option(name, value, description), 0);
  };
  tolerance("--rtol", options.rtol, "Of allclose: |a-b| <= atol + rtol |a| (default: by dtype)");
  tolerance("--atol", options.atol, "Of allclose (default: by dtype)");
  tolerance("--rel", options.rel, "Of rel: largest relative Frobenius error (default: by dtype)");
  number_above(command.add_option("--percentile", options.percentile,
                                  "Of bitwise and allclose: so many percent of the elements must satisfy it"),
               0);
  command.add_option("--rules", options.rules, "Gates per layer, role and pass: a TOML file")->type_name("FILE");
  command.add_flag("--strict", options.strict, "Another dtype is a difference even where the values agree");
  choice(command.add_option("--nan", options.nan, "Whether NaN on both sides is the same"), {"same", "differ"});
}

}  // namespace

void add_diff(CLI::App& app, ExitCode& result) {
  auto options = std::make_shared<DiffCommandOptions>();
  CLI::App* command = app.add_subcommand("diff", "Compare two traces and find where they part");
  command->add_option("golden", options->a, "The reference")->required()->type_name("FILE");
  command->add_option("candidate", options->b, "The trace under test; left out: what GOLDEN shows of itself")
      ->type_name("FILE");
  add_gate_options(*command, *options);
  add_relation_options(*command, options->relations);
  add_position_options(*command, options->mask, options->sample);
  command->add_flag("--unscale", options->unscale, "Divide gradients by the loss scale that the headers name");
  command
      ->add_option("--repeats", options->repeats,
                   "More runs of the golden: tensors that change between them are judged by how much they do")
      ->type_name("FILE");
  add_quality_options(*command, options->quality, options->targets);
  command->add_option("--filter", options->filter, "Judge only these layers")->type_name("GLOB");
  integer_from(
      command->add_option("--limit", options->limit, "Longest list in the report, 0: whole lists, as --verbose does"),
      0);
  command->add_option("--report", options->reports, "Also write a report, by ending: .json, .txt; repeatable")
      ->type_name("FILE");
  add_output_options(*command, options->output);
  command->footer(examples + exit_code_help());
  command->callback([options, &result] { result = run_diff(*options); });
}

ExitCode run_diff(const DiffCommandOptions& options) {
  std::vector<std::filesystem::path> inputs{options.a, options.b, options.rules, options.targets};
  inputs.insert(inputs.end(), options.relations.begin(), options.relations.end());
  inputs.insert(inputs.end(), options.repeats.begin(), options.repeats.end());
  check_report_files(options.reports, inputs);
  const DiffOptions settings = diff_options(options);
  const Report report = compare(options, settings);
  print(report, options);
  write_report_files(options.reports, report, list_limit(options));
  return static_cast<ExitCode>(exit_code(report));
}

}  // namespace goldentrace
