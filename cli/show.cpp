#include "cli/show.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "checkpoints/checkpoint_listing.h"
#include "cli/command_line.h"
#include "cli/document.h"
#include "cli/npy_writer.h"
#include "cli/number_option.h"
#include "cli/rewritten_note.h"
#include "cli/selection.h"
#include "cli/show_checkpoint.h"
#include "cli/show_json.h"
#include "cli/show_text.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

constexpr std::int64_t overview_records = 20;
constexpr std::int64_t record_values = 1000;

std::int64_t limit_or(std::int64_t limit, std::int64_t standard) { return limit < 0 ? standard : limit; }

void show_tape(const TraceReader& trace, const ShowOptions& options) {
  const std::vector<LayerTape> tapes = tapes_of(trace, options.tape);
  if (options.output.json) return print_document(tapes_json(trace, tapes));
  if (options.output.text()) print_tapes(std::cout, trace, tapes);
}

void show_record(const TraceReader& trace, const ShowOptions& options) {
  const std::int64_t row = row_of(trace, options.record);
  if (!options.npy.empty()) write_npy(options.npy, trace, row);
  if (options.output.json) return print_document(record_json(trace, row, limit_or(options.limit, 0)));
  if (options.output.text()) {
    print_record(std::cout, trace, row, limit_or(options.limit, options.output.verbose ? 0 : record_values));
  }
}

void show_layer(const TraceReader& trace, const ShowOptions& options) {
  const LayerView view = layer_view(trace, options.layer, options.filter);
  if (options.output.json) return print_document(layer_json(trace, view));
  if (options.output.text()) print_layer(std::cout, trace, view, {options.stats, limit_or(options.limit, 0)});
}

void show_overview(const TraceReader& trace, const ShowOptions& options) {
  const std::vector<std::int64_t> rows = select_records(trace, options.filter);
  if (options.output.json) return print_document(overview_json(trace, rows, limit_or(options.limit, 0)));
  if (!options.output.text()) return;
  const bool only_records = !options.filter.empty() || options.stats;
  const bool all = only_records || options.output.verbose;
  const std::int64_t limit = limit_or(options.limit, all ? 0 : overview_records);
  if (!only_records) print_overview(std::cout, trace);
  print_records(std::cout, trace, rows, {options.stats, limit});
}

const char* const examples =
    "Examples:\n"
    "  gtrace show run.h5                                  header, layers, losses, first records\n"
    "  gtrace show run.h5 --layer 'h.1.*' --stats          every record of these layers with statistics\n"
    "  gtrace show run.h5 --tape h.1.mlp.act               the ops of the layer\n"
    "  gtrace show run.h5 --record 0:0:0/forward/h.1.mlp.act#0/output.0 --npy act.npy\n"
    "  gtrace show run.h5 --json | jq .losses\n"
    "  gtrace show model.safetensors                       tensors of a checkpoint and their totals\n\n";

}  // namespace

void add_show(CLI::App& app, ExitCode& result) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Show what is in a trace or checkpoint");
  command->add_option("trace", options->trace, "The trace, or a checkpoint: file or folder")
      ->required()
      ->type_name("PATH");
  auto* layer = command->add_option("--layer", options->layer, "Calls and records of this layer (glob)");
  auto* tape = command->add_option("--tape", options->tape, "The ops of this layer");
  auto* record = command->add_option("--record", options->record, "The values of this record");
  layer->type_name("GLOB");
  tape->type_name("LAYER")->excludes(layer);
  record->type_name("ID")->excludes(layer)->excludes(tape);
  command->add_option("--npy", options->npy, "With --record: write the values to this NumPy file")
      ->type_name("FILE")
      ->needs(record);
  command->add_flag("--stats", options->stats, "Statistics of every record listed");
  command
      ->add_option("--filter", options->filter,
                   "Only records whose id or layer matches, or tensors of a checkpoint by name")
      ->type_name("GLOB");
  integer_from(command->add_option("--limit", options->limit,
                                   "Print at most this many records or values, 0: all, as --verbose does"),
               0);
  add_output_options(*command, options->output);
  command->footer(examples + exit_code_help());
  command->callback([options, &result] { result = run_show(*options); });
}

ExitCode run_show(const ShowOptions& options) {
  if (looks_like_checkpoint(options.trace)) {
    show_checkpoint(options);
    return ExitCode::same;
  }
  const TraceReader trace(options.trace);
  note_if_rewritten(trace, options.output);
  if (!options.record.empty()) {
    show_record(trace, options);
  } else if (!options.tape.empty()) {
    show_tape(trace, options);
  } else if (!options.layer.empty()) {
    show_layer(trace, options);
  } else {
    show_overview(trace, options);
  }
  return ExitCode::same;
}

}  // namespace goldentrace
