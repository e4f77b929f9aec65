#include "cli/layer_summary.h"

#include <limits>
#include <map>
#include <set>

#include "kernels/compare.h"

namespace goldentrace {
namespace {

using CallKey = std::tuple<std::int64_t, std::int64_t, std::int32_t, std::int32_t>;  // step, micro, rank, call

int severity(Replayable replayable) {
  switch (replayable) {
    case Replayable::unchecked:
      return 0;
    case Replayable::bit_equal:
      return 1;
    case Replayable::differs:
      return 2;
    case Replayable::unsupported:
      return 3;
  }
  return 0;
}

// Gathers the lines while it walks over calls and records.
class Summaries {
 public:
  void add(const LayerCall& call) {
    LayerSummary& line = find(call.layer, call.pass);
    count(line, {call.step, call.micro, call.rank, call.call});
    if (severity(call.replayable) > severity(line.replayable)) {
      line.replayable = call.replayable;
      line.note = call.note;
    }
  }

  void add(const Record& record) {
    if (record.id.role == Role::loss) return;
    LayerSummary& line = find(record.id.layer, record.id.pass);
    count(line, {record.id.step, record.id.micro, record.id.rank, record.id.call});
    const Role role = record.id.role;
    if (role == Role::input || role == Role::grad_input) ++line.inputs;
    if (role == Role::output || role == Role::grad_output) ++line.outputs;
    if (role == Role::param || role == Role::param_grad) ++line.params;
  }

  std::vector<LayerSummary> finish(const std::set<std::string>& taped) {
    for (LayerSummary& line : lines_) {
      const bool incomplete = line.outputs > 0 && line.inputs == 0 && !taped.contains(line.layer);
      if (line.pass == Pass::forward && incomplete) line.note = "inputs not captured (0)";
    }
    return std::move(lines_);
  }

 private:
  LayerSummary& find(const std::string& layer, Pass pass) {
    const auto [place, added] = numbers_.try_emplace({layer, pass}, lines_.size());
    if (added) {
      lines_.push_back({.layer = layer, .pass = pass});
      calls_.emplace_back();
    }
    return lines_[place->second];
  }

  void count(LayerSummary& line, CallKey key) {
    auto& known = calls_[static_cast<std::size_t>(&line - lines_.data())];
    if (known.insert(key).second) ++line.calls;
  }

  std::vector<LayerSummary> lines_;
  std::vector<std::set<CallKey>> calls_;
  std::map<std::pair<std::string, Pass>, std::size_t> numbers_;
};

// A loss is one element: its statistics hold it, except for NaN and infinity, whose sign is in sketch or payload.
double scalar_value(const TraceReader& trace, std::int64_t row) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  const Statistics& statistics = record.fingerprint.statistics;
  if (statistics.nan_count > 0) return std::numeric_limits<double>::quiet_NaN();
  if (const Sketch sketch = trace.sketch(row); sketch.size() == 1) return sketch.front();
  if (!trace.has_payload(row)) return statistics.mean;
  const std::vector<std::byte> bytes = trace.payload(row);
  return bytes.empty() ? 0 : element_as_double({record.dtype, record.shape, bytes}, 0);
}

}  // namespace

std::vector<LayerSummary> summarize_layers(const TraceReader& trace) {
  Summaries summaries;
  std::set<std::string> taped;
  for (const LayerCall& call : trace.calls()) {
    summaries.add(call);
    if (call.tape >= 0) taped.insert(call.layer);
  }
  for (const Record& record : trace.records()) summaries.add(record);
  return summaries.finish(taped);
}

std::vector<LossValue> losses(const TraceReader& trace) {
  std::vector<LossValue> values;
  for (std::size_t row = 0; row < trace.records().size(); ++row) {
    const RecordId& id = trace.records()[row].id;
    if (id.role != Role::loss) continue;
    const auto micro = id.micro == no_micro ? std::nullopt : std::optional(id.micro);
    values.push_back({id.step, micro, scalar_value(trace, static_cast<std::int64_t>(row))});
  }
  return values;
}

}  // namespace goldentrace
