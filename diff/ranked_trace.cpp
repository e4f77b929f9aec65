#include "diff/ranked_trace.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "diff/rank_edges.h"

namespace goldentrace {

namespace {

using Edges = std::vector<std::vector<std::int64_t>>;

// Every rank's records in their own order, as far as what they wait for allows; the lowest step and rank first.
class Merge {
 public:
  Merge(std::span<const Record> records, const Edges& added) : records_(records), added_(added) {
    for (std::size_t row = 0; row < records.size(); ++row)
      queues_[records[row].id.rank].push_back(static_cast<std::int64_t>(row));
    done_.assign(records.size(), 0);
  }

  std::vector<std::int64_t> run() {
    std::vector<std::int64_t> order;
    order.reserve(records_.size());
    std::map<std::int32_t, std::size_t> next;
    while (order.size() < records_.size()) {
      const std::int32_t rank = choose(next);
      const std::int64_t row = queues_[rank][next[rank]++];
      done_[static_cast<std::size_t>(row)] = 1;
      order.push_back(row);
    }
    return order;
  }

 private:
  bool is_ready(std::int64_t row) const {
    const auto is_done = [this](std::int64_t each) { return done_[static_cast<std::size_t>(each)] != 0; };
    return std::ranges::all_of(added_[static_cast<std::size_t>(row)], is_done);
  }

  // Ranks that wait for each other go on all the same.
  std::int32_t choose(std::map<std::int32_t, std::size_t>& next) const {
    using Key = std::pair<bool, std::int64_t>;  // waits, step
    std::optional<Key> best;
    std::int32_t chosen = 0;
    for (const auto& [rank, rows] : queues_) {
      if (next[rank] == rows.size()) continue;
      const std::int64_t row = rows[next[rank]];
      const Key key{!is_ready(row), records_[static_cast<std::size_t>(row)].id.step};
      if (best && *best <= key) continue;
      best = key;
      chosen = rank;
    }
    return chosen;
  }

  std::span<const Record> records_;
  const Edges& added_;
  std::map<std::int32_t, std::vector<std::int64_t>> queues_;
  std::vector<std::uint8_t> done_;
};

// Numbers of the inputs of labels that other ranks' tensors came through, as they are without those.
class InputNumbers {
 public:
  InputNumbers(std::span<const Record> records, const std::vector<Brought>& brought) {
    for (std::size_t row = 0; row < records.size(); ++row)
      if (brought[row] == Brought::through) left_out_[call_of(records[row])].push_back(records[row].position);
  }

  void settle(Record& record) const {
    if (record.id.role != Role::input && record.id.role != Role::grad_input) return;
    const auto found = left_out_.find(call_of(record));
    if (found == left_out_.end()) return;
    const auto before = std::ranges::count_if(found->second, [&](std::int32_t each) { return each < record.position; });
    if (record.id.index == std::to_string(record.position))
      record.id.index = std::to_string(record.position - static_cast<std::int32_t>(before));
    record.position -= static_cast<std::int32_t>(before);
  }

 private:
  using Call = std::tuple<std::int64_t, std::int64_t, std::int32_t, std::string, std::int32_t>;

  static Call call_of(const Record& record) {
    const RecordId& id = record.id;
    return {id.step, id.micro, id.rank, id.layer, id.call};
  }

  std::map<Call, std::vector<std::int32_t>> left_out_;
};

}  // namespace

RankedTrace::RankedTrace(const TraceView& trace) : trace_(trace), view_(trace) {
  const std::vector<Brought> brought = brought_by_others(trace.records);
  const auto is_other = [](const Record& record) { return record.id.rank > 0; };
  const auto comes = [](Brought each) { return each != Brought::no; };
  if (std::ranges::any_of(trace.records, is_other) || std::ranges::any_of(brought, comes))
    reorder(rank_edges(trace), brought);
}

void RankedTrace::reorder(const Edges& added, const std::vector<Brought>& brought) {
  rows_ = Merge(trace_.records, added).run();
  std::erase_if(rows_, [&](std::int64_t row) { return brought[static_cast<std::size_t>(row)] == Brought::through; });
  std::vector<std::int64_t> place(trace_.records.size(), -1);
  for (std::size_t row = 0; row < rows_.size(); ++row)
    place[static_cast<std::size_t>(rows_[row])] = static_cast<std::int64_t>(row);
  records_.reserve(rows_.size());
  const InputNumbers numbers(trace_.records, brought);
  for (const std::int64_t recorded : rows_) {
    Record& record = records_.emplace_back(trace_.records[static_cast<std::size_t>(recorded)]);
    const std::vector<std::int64_t>& others = added[static_cast<std::size_t>(recorded)];
    record.producers.insert(record.producers.end(), others.begin(), others.end());
    std::erase_if(record.producers,
                  [&](std::int64_t each) { return each < 0 || each >= static_cast<std::int64_t>(place.size()); });
    for (std::int64_t& producer : record.producers) producer = place[static_cast<std::size_t>(producer)];
    std::erase(record.producers, -1);
    if (brought[static_cast<std::size_t>(recorded)] == Brought::here) record.external = false;
    numbers.settle(record);
  }
  view_.records = records_;
  view_.has_payload = [this](std::int64_t row) { return trace_.has_payload(rows_[static_cast<std::size_t>(row)]); };
  view_.sketch = [this](std::int64_t row) { return trace_.sketch(rows_[static_cast<std::size_t>(row)]); };
  view_.read_payload = [this](std::int64_t row, std::vector<std::byte>& bytes) {
    trace_.read_payload(rows_[static_cast<std::size_t>(row)], bytes);
  };
}

}  // namespace goldentrace
