#include "cli/record_summary.h"

#include <sys/stat.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/document.h"
#include "cli/layer_summary.h"
#include "cli/number.h"
#include "cli/recording_facts.h"
#include "cli/segment_list.h"
#include "cli/text_table.h"
#include "traces/error.h"
#include "traces/segment.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

struct Counts {
  std::uint64_t bytes = 0;
  std::size_t steps = 0, records = 0;
  std::map<Replayable, std::size_t> layers;  // by the worst of their passes

  std::size_t layer_count() const {
    std::size_t sum = 0;
    for (const auto& [state, count] : layers) sum += count;
    return sum;
  }
};

Counts count(const TraceReader& trace) {
  Counts counts{.bytes = trace.file_bytes(), .records = trace.records().size()};
  std::set<std::int64_t> steps;
  for (const Record& record : trace.records()) steps.insert(record.id.step);
  counts.steps = steps.size();
  std::map<std::string, Replayable> layers;
  for (const LayerSummary& line : summarize_layers(trace)) {
    if (line.layer == root_layer || line.pass == Pass::backward || line.pass == Pass::update) continue;
    auto [place, added] = layers.try_emplace(line.layer, line.replayable);
    if (!added) place->second = std::max(place->second, line.replayable);
  }
  for (const auto& [layer, state] : layers) ++counts.layers[state];
  return counts;
}

std::string amount(std::size_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string layers_text(const Counts& counts) {
  std::string text = amount(counts.layer_count(), "layer");
  for (const auto& [state, number] : counts.layers) {
    if (number > 0) text += ", " + std::to_string(number) + " " + std::string(name(state));
  }
  return text;
}

void print_json(const Counts& counts, const Header& header, const std::filesystem::path& path) {
  nlohmann::ordered_json json = {{"schema", "goldentrace.record/1"},
                                 {"file", path.string()},
                                 {"bytes", counts.bytes},
                                 {"steps", counts.steps},
                                 {"records", counts.records},
                                 {"layers", counts.layer_count()}};
  json["replayable"] = nlohmann::ordered_json::object();
  for (const auto& [state, number] : counts.layers) json["replayable"][std::string(name(state))] = number;
  json["recording"] = recording_json(header);
  print_document(json);
}

// Every layer and pass that was run again, or why it could not be.
void print_layers(const TraceReader& trace) {
  TextTable table({"layer", "pass", "calls", "replayable", "note"});
  for (const LayerSummary& line : summarize_layers(trace)) {
    if (line.replayable == Replayable::unchecked) continue;
    table.add({line.layer, std::string(name(line.pass)), std::to_string(line.calls), std::string(name(line.replayable)),
               line.note});
  }
  table.print(std::cout, stdout_style());
}

}  // namespace

void print_summary(const std::filesystem::path& trace, const OutputOptions& options) {
  if (options.quiet && !options.json) return;
  const TraceReader reader(trace);
  const Counts counts = count(reader);
  if (options.json) return print_json(counts, reader.header(), trace);
  const std::size_t segments = segment_files(trace).size();
  if (options.verbose) print_layers(reader);
  const std::string remarks = recording_remarks(reader.header());
  std::cout << trace.string() << ": " << human_bytes(counts.bytes) << ", " << amount(counts.steps, "step") << ", "
            << amount(counts.records, "record") << (segments > 0 ? ", " + amount(segments, "segment") : "") << "; "
            << layers_text(counts) << (remarks.empty() ? "" : "; ") << remarks << '\n';
}

CommittedSteps::CommittedSteps(std::filesystem::path trace) : trace_(std::move(trace)), before_(identity(trace_)) {}

std::pair<std::uint64_t, std::uint64_t> CommittedSteps::identity(const std::filesystem::path& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0 && stat(segment_path(path, 0).c_str(), &facts) != 0) return {0, 0};
  return {facts.st_dev, facts.st_ino};
}

bool CommittedSteps::any() const { return identity(trace_) != before_; }

std::string CommittedSteps::text() const {
  const std::string none = "no step was committed, nothing was written";
  if (!any()) return none;
  try {
    const Counts counts = count(TraceReader(trace_));
    return amount(counts.steps, "committed step") + (counts.steps == 1 ? " is in " : " are in ") + trace_.string();
  } catch (const Error&) {
    return none;
  }
}

}  // namespace goldentrace
