#include "cli/selection.h"

#include <algorithm>
#include <set>

#include "cli/suggestion.h"
#include "traces/error.h"
#include "traces/glob.h"

namespace goldentrace {
namespace {

constexpr std::size_t suggested_ids = 2000;

std::string text_of(const TraceReader& trace) { return trace.path().string(); }

bool selected(const Record& record, const std::string& filter) {
  return filter.empty() || matches(filter, record.id.layer) || matches(filter, to_string(record.id));
}

std::string with_hint(const std::string& message, const std::string& hint) {
  return hint.empty() ? message : message + "; " + hint;
}

// Ids of the same layer first, so that a wrong role or index finds its neighbours.
std::vector<std::string> candidate_ids(const TraceReader& trace, const RecordId& wanted) {
  std::vector<std::string> same_layer, others;
  for (const Record& record : trace.records()) {
    std::vector<std::string>& list = record.id.layer == wanted.layer ? same_layer : others;
    if (list.size() < suggested_ids) list.push_back(to_string(record.id));
  }
  return same_layer.empty() ? others : same_layer;
}

}  // namespace

bool matches(const std::string& pattern, const std::string& text) {
  return pattern == text || glob_match(pattern, text);
}

std::vector<std::string> layer_names(const TraceReader& trace) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  for (const LayerCall& call : trace.calls()) add(call.layer);
  for (const Record& record : trace.records()) add(record.id.layer);
  return names;
}

void refuse_layer(const TraceReader& trace, const std::string& name) {
  throw Error(ErrorCode::not_found, with_hint("no layer '" + name + "'", suggestion(name, layer_names(trace))),
              {text_of(trace), ""});
}

LayerView layer_view(const TraceReader& trace, const std::string& pattern, const std::string& filter) {
  const std::vector<std::string> names = layer_names(trace);
  const bool known = std::any_of(names.begin(), names.end(), [&](const auto& name) { return matches(pattern, name); });
  if (!known) refuse_layer(trace, pattern);
  LayerView view;
  for (std::size_t row = 0; row < trace.calls().size(); ++row) {
    if (matches(pattern, trace.calls()[row].layer)) view.calls.push_back(static_cast<std::int64_t>(row));
  }
  for (std::size_t row = 0; row < trace.records().size(); ++row) {
    const Record& record = trace.records()[row];
    if (matches(pattern, record.id.layer) && selected(record, filter)) {
      view.records.push_back(static_cast<std::int64_t>(row));
    }
  }
  return view;
}

std::vector<std::int64_t> select_records(const TraceReader& trace, const std::string& filter) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < trace.records().size(); ++row) {
    if (selected(trace.records()[row], filter)) rows.push_back(static_cast<std::int64_t>(row));
  }
  if (rows.empty() && !filter.empty()) {
    throw Error(ErrorCode::not_found,
                with_hint("no record matches '" + filter + "'", suggestion(filter, layer_names(trace))),
                {text_of(trace), ""});
  }
  return rows;
}

std::int64_t row_of(const TraceReader& trace, const std::string& id) {
  const RecordId wanted = parse_record_id(id);
  if (const auto row = trace.find(wanted)) return *row;
  throw Error(ErrorCode::not_found, with_hint("no such record", suggestion(id, candidate_ids(trace, wanted))),
              {text_of(trace), id});
}

std::vector<LayerTape> tapes_of(const TraceReader& trace, const std::string& layer) {
  std::vector<LayerTape> tapes;
  for (std::size_t row = 0; row < trace.calls().size(); ++row) {
    const LayerCall& call = trace.calls()[row];
    if (call.layer != layer || call.tape < 0) continue;
    auto place = std::find_if(tapes.begin(), tapes.end(), [&](const auto& known) { return known.tape == call.tape; });
    if (place == tapes.end()) place = tapes.insert(tapes.end(), LayerTape{call.tape, {}});
    place->calls.push_back(static_cast<std::int64_t>(row));
  }
  if (!tapes.empty()) return tapes;
  const std::vector<std::string> names = layer_names(trace);
  if (std::find(names.begin(), names.end(), layer) == names.end()) refuse_layer(trace, layer);
  throw Error(ErrorCode::not_found, "layer '" + layer + "' has no tape", {text_of(trace), ""});
}

}  // namespace goldentrace
