#include "diff/loss_value.h"

#include <algorithm>
#include <tuple>

#include "diff/whole_sketch.h"
#include "traces/elements.h"

namespace goldentrace {

namespace {

using ShardKey = std::tuple<std::int64_t, std::int64_t, std::int32_t>;

ShardKey key_of(const RecordId& id) { return {id.step, id.micro, id.rank}; }

std::vector<double> numbers_of(const TraceView& trace, std::int64_t row) {
  const Record& record = trace.records[static_cast<std::size_t>(row)];
  if (trace.has_payload(row)) return to_numbers(trace.payload(row), record.dtype);
  const Sketch sketch = trace.sketch(row);
  if (!can_be_restored(record, sketch)) return {};
  return to_numbers(restore(record, sketch), record.dtype);
}

}  // namespace

std::optional<double> number_of(const TraceView& trace, std::int64_t row) {
  if (element_count(trace.records[static_cast<std::size_t>(row)].shape) != 1) return std::nullopt;
  const std::vector<double> numbers = numbers_of(trace, row);
  return numbers.size() == 1 ? std::optional(numbers.front()) : std::nullopt;
}

std::map<std::int64_t, StepLosses> losses_of(const TraceView& trace) {
  std::map<std::int64_t, StepLosses> result;
  std::map<ShardKey, std::int64_t> tokens;
  for (std::size_t at = 0; at < trace.records.size(); ++at) {
    const Record& record = trace.records[at];
    const auto row = static_cast<std::int64_t>(at);
    if (record.declared && record.id.index == "labels") {
      const std::vector<double> labels = numbers_of(trace, row);
      if (!labels.empty())
        tokens[key_of(record.id)] = std::ranges::count_if(labels, [](double label) { return label != -100; });
    }
    if (record.id.role != Role::loss) continue;
    const std::optional<double> loss = number_of(trace, row);
    if (!loss) continue;
    StepLosses& step = result[record.id.step];
    if (record.id.pass == Pass::update) {
      if (!step.reported) step.reported = loss;
    } else if (record.id.pass == Pass::forward) {
      step.shards.push_back({record.id.micro, record.id.rank, *loss, std::nullopt});
    }
  }
  for (auto& [number, step] : result) {
    std::ranges::sort(step.shards, {}, [](const ShardLoss& shard) { return std::pair(shard.rank, shard.micro); });
    for (ShardLoss& shard : step.shards) {
      const auto counted = tokens.find({number, shard.micro, shard.rank});
      if (counted != tokens.end()) shard.tokens = counted->second;
    }
  }
  return result;
}

}  // namespace goldentrace
