#include "diff/relation/copies.h"

#include <algorithm>
#include <map>

namespace goldentrace {

namespace {

class CopyFinder {
 public:
  CopyFinder(const LogicalSide& side, const std::function<bool(const RecordId&)>& counts)
      : side_(side), counts_(counts) {}

  CopyCheck run() {
    for (const LogicalTensor& tensor : side_.tensors()) {
      if (counts_ && !counts_(record(tensor.sources.front()).id)) continue;
      std::vector<Dimension> over;
      for (const FormStep& step : tensor.match->form.steps()) {
        if (step.word == FormWord::replicated) over.push_back(step.over());
      }
      if (!over.empty()) check(tensor, over);
    }
    std::ranges::sort(result_.unequal, {}, &UnequalCopy::row);
    return std::move(result_);
  }

 private:
  const Record& record(std::int64_t row) const { return side_.trace().records[static_cast<std::size_t>(row)]; }

  void check(const LogicalTensor& tensor, const std::vector<Dimension>& over) {
    std::map<ShardPlace, std::vector<std::int64_t>> copies;
    for (const std::int64_t row : tensor.sources) {
      ShardPlace shard = side_.ranks().shard_of(record(row).id);
      for (const Dimension each : over) shard = merged(shard, each);
      copies[shard].push_back(row);
    }
    for (const auto& [shard, rows] : copies) compare(rows);
  }

  std::int64_t reference(const std::vector<std::int64_t>& rows) const {
    const auto votes = [&](std::int64_t row) {
      return std::ranges::count_if(
          rows, [&](std::int64_t other) { return record(other).fingerprint.hash == record(row).fingerprint.hash; });
    };
    return *std::ranges::max_element(rows, {}, votes);
  }

  void compare(const std::vector<std::int64_t>& rows) {
    result_.compared += static_cast<std::int64_t>(rows.size()) - 1;
    const Hash128& first = record(rows.front()).fingerprint.hash;
    const auto equal = [&](std::int64_t row) { return record(row).fingerprint.hash == first; };
    if (std::ranges::all_of(rows, equal)) return;
    const std::int64_t kept = reference(rows);
    for (const std::int64_t row : rows) {
      if (record(row).fingerprint.hash != record(kept).fingerprint.hash) result_.unequal.push_back({row, kept});
    }
  }

  const LogicalSide& side_;
  const std::function<bool(const RecordId&)>& counts_;
  CopyCheck result_;
};

}  // namespace

CopyCheck check_copies(const LogicalSide& side, const std::function<bool(const RecordId&)>& counts) {
  return CopyFinder(side, counts).run();
}

}  // namespace goldentrace
