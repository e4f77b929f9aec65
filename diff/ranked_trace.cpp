#include "diff/ranked_trace.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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

}  // namespace

RankedTrace::RankedTrace(const TraceView& trace) : trace_(trace), view_(trace) {
  const auto is_other = [](const Record& record) { return record.id.rank > 0; };
  if (std::ranges::any_of(trace.records, is_other)) reorder(rank_edges(trace));
}

void RankedTrace::reorder(const Edges& added) {
  rows_ = Merge(trace_.records, added).run();
  std::vector<std::int64_t> place(rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row)
    place[static_cast<std::size_t>(rows_[row])] = static_cast<std::int64_t>(row);
  records_.reserve(rows_.size());
  for (const std::int64_t recorded : rows_) {
    Record& record = records_.emplace_back(trace_.records[static_cast<std::size_t>(recorded)]);
    const std::vector<std::int64_t>& others = added[static_cast<std::size_t>(recorded)];
    record.producers.insert(record.producers.end(), others.begin(), others.end());
    std::erase_if(record.producers,
                  [&](std::int64_t each) { return each < 0 || each >= static_cast<std::int64_t>(place.size()); });
    for (std::int64_t& producer : record.producers) producer = place[static_cast<std::size_t>(producer)];
  }
  view_.records = records_;
  view_.has_payload = [this](std::int64_t row) { return trace_.has_payload(rows_[static_cast<std::size_t>(row)]); };
  view_.sketch = [this](std::int64_t row) { return trace_.sketch(rows_[static_cast<std::size_t>(row)]); };
  view_.read_payload = [this](std::int64_t row, std::vector<std::byte>& bytes) {
    trace_.read_payload(rows_[static_cast<std::size_t>(row)], bytes);
  };
}

}  // namespace goldentrace
