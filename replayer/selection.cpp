#include "replayer/selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {
namespace {

bool is_replayable_pass(Pass pass) { return pass == Pass::forward || pass == Pass::recompute; }

bool wants_pass(const ReplayOptions& options, Pass pass) {
  if (!options.pass || *options.pass == Pass::backward) return true;
  return *options.pass == pass;
}

bool wants_numbers(const ReplayOptions& options, const LayerCall& call) {
  return (!options.step || *options.step == call.step) && (!options.micro || *options.micro == call.micro) &&
         (!options.rank || *options.rank == call.rank) && (!options.call || *options.call == call.call);
}

bool knows(const TraceReader& trace, const std::string& layer) {
  return std::any_of(trace.calls().begin(), trace.calls().end(),
                     [&](const LayerCall& call) { return call.layer == layer; }) ||
         std::any_of(trace.records().begin(), trace.records().end(),
                     [&](const Record& record) { return record.id.layer == layer; });
}

std::set<std::string> labels(const TraceReader& trace) {
  std::set<std::string> all;
  for (const LayerCall& call : trace.calls()) {
    if (call.layer != root_layer) all.insert(call.layer);
  }
  for (const Record& record : trace.records()) {
    if (record.id.layer != root_layer && record.id.layer != loss_layer) all.insert(record.id.layer);
  }
  return all;
}

ErrorPlace place(const TraceReader& trace) { return {.file = trace.path().string(), .record = {}}; }

void check_layer(const TraceReader& trace, const std::string& layer) {
  if (layer == root_layer) {
    throw Error(ErrorCode::usage, "ops outside labels are not replayed; name a layer", place(trace));
  }
  if (knows(trace, layer)) return;
  const std::set<std::string> known = labels(trace);
  const std::vector<std::string> names(known.begin(), known.end());
  throw Error(ErrorCode::not_found, unknown_name("layer", layer, names), place(trace));
}

bool has_inputs(const TraceReader& trace, const std::string& layer) {
  return std::any_of(trace.records().begin(), trace.records().end(),
                     [&](const Record& record) { return record.id.layer == layer && record.id.role == Role::input; });
}

// "step 99, call 5": the numbers that were asked for.
std::string asked(const ReplayOptions& options) {
  std::string text;
  const auto add = [&](const char* word, const auto& number) {
    if (number) text += (text.empty() ? "" : ", ") + std::string(word) + " " + std::to_string(*number);
  };
  add("step", options.step);
  add("micro", options.micro);
  add("rank", options.rank);
  add("call", options.call);
  if (options.pass) text += (text.empty() ? "" : ", ") + std::string("pass ") + std::string(name(*options.pass));
  return text;
}

// "there are the steps 0 to 3, micros 0 to 1, calls 0 to 0", and ranks where there are several.
template <typename Wanted>
std::string there_is(const TraceReader& trace, Wanted wanted) {
  std::set<std::int64_t> steps, micros, ranks, calls;
  for (const LayerCall& call : trace.calls()) {
    if (!wanted(call)) continue;
    steps.insert(call.step);
    micros.insert(call.micro);
    ranks.insert(call.rank);
    calls.insert(call.call);
  }
  const auto range = [](const std::set<std::int64_t>& numbers) {
    return std::to_string(*numbers.begin()) + " to " + std::to_string(*numbers.rbegin());
  };
  const std::string of_ranks = ranks.size() > 1 ? ", ranks " + range(ranks) : "";
  return "there are the steps " + range(steps) + ", micros " + range(micros) + of_ranks + ", calls " + range(calls);
}

[[noreturn]] void refuse_empty(const TraceReader& trace, const ReplayOptions& options) {
  const auto of_layer = [&](const LayerCall& call) {
    return is_replayable_pass(call.pass) &&
           (options.layer.empty() ? call.layer != root_layer : call.layer == options.layer);
  };
  const bool any = std::any_of(trace.calls().begin(), trace.calls().end(), of_layer);
  if (any) {
    const std::string whose = options.layer.empty() ? "any layer" : "layer " + options.layer;
    throw Error(ErrorCode::not_found,
                "no call of " + whose + " is of " + asked(options) + "; " + there_is(trace, of_layer), place(trace));
  }
  if (options.layer.empty()) throw Error(ErrorCode::incomparable, "no layer was recorded", place(trace));
  const char* why = has_inputs(trace, options.layer) ? "no tape was recorded" : "no inputs";
  throw Error(ErrorCode::incomparable, "cannot replay: " + std::string(why), {place(trace).file, options.layer});
}

std::vector<NotReplayed> left_out(const TraceReader& trace) {
  std::map<std::pair<std::string, Pass>, std::int64_t> counts;
  for (const LayerCall& call : trace.calls()) {
    if (call.layer == root_layer || !is_replayable_pass(call.pass)) ++counts[{call.layer, call.pass}];
  }
  std::vector<NotReplayed> all;
  for (const auto& [what, calls] : counts) {
    const bool root = what.first == root_layer;
    all.push_back({what.first, what.second, calls,
                   root && what.second != Pass::update ? "ops outside every label" : "updates are not replayed"});
  }
  return all;
}

}  // namespace

Selection select_calls(const TraceReader& trace, const ReplayOptions& options) {
  if (!options.layer.empty()) check_layer(trace, options.layer);
  Selection selection;
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const LayerCall& call = trace.calls()[i];
    const bool wanted = options.layer.empty() ? call.layer != root_layer : call.layer == options.layer;
    if (wanted && is_replayable_pass(call.pass) && wants_pass(options, call.pass) && wants_numbers(options, call)) {
      selection.calls.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (selection.calls.empty()) refuse_empty(trace, options);
  if (options.layer.empty()) selection.left_out = left_out(trace);
  return selection;
}

}  // namespace goldentrace
