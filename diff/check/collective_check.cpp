#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "diff/check/trace_checks.h"
#include "diff/collective.h"
#include "diff/pair_judge.h"
#include "diff/relation/element_math.h"
#include "diff/relation/shard.h"
#include "kernels/fingerprint.h"

namespace goldentrace {

namespace {

// One reduction of a forward or a backward pass: all ranks that take part.
using Place = std::tuple<std::int64_t, std::int64_t, std::int32_t, Pass, std::string, std::int32_t, std::int32_t>;

struct Group {
  std::vector<std::int64_t> inputs, outputs;  // rows, by rank
};

class CollectiveCheck {
 public:
  CollectiveCheck(const TraceView& trace, TraceChecks& checks) : trace_(trace), checks_(checks), ranks_(trace.header) {}

  void run() {
    std::map<Place, Group> groups;
    for (std::size_t row = 0; row < trace_.records.size(); ++row) {
      const Record& record = trace_.records[row];
      if (collective_of(record.id.layer) != Collective::all_reduce) continue;
      const Role role = record.id.role;
      const bool enters = role == Role::input || role == Role::grad_output;
      if (!enters && role != Role::output && role != Role::grad_input) continue;
      Group& group = groups[place_of(record)];
      (enters ? group.inputs : group.outputs).push_back(static_cast<std::int64_t>(row));
    }
    for (auto& [place, group] : groups) compare(group);
  }

 private:
  const Record& record(std::int64_t row) const { return trace_.records[static_cast<std::size_t>(row)]; }

  Place place_of(const Record& record) const {
    const RecordId& id = record.id;
    const ShardPlace shard = merged(ranks_.shard_of(id), Dimension::tensor);
    return {id.step, id.micro, shard.data, id.pass, id.layer, id.call, record.position};
  }

  void compare(Group& group) {
    const auto by_rank = [this](std::int64_t row) { return record(row).id.rank; };
    std::ranges::sort(group.inputs, {}, by_rank);
    std::ranges::sort(group.outputs, {}, by_rank);
    if (group.inputs.size() < 2 || group.inputs.size() != group.outputs.size()) return;
    if (hands_on(group)) return;
    const std::optional<std::vector<std::byte>> total = sum(group.inputs);
    for (const std::int64_t row : group.outputs) {
      if (!total || record(row).shape != record(group.inputs.front()).shape) return;
      ++checks_.collectives;
      if (agrees(row, *total)) continue;
      checks_.findings.push_back({"collective", row, group.inputs.front(),
                                  "rank " + std::to_string(record(row).id.rank) +
                                      " leaves the reduction with what is not the sum of what the ranks brought" +
                                      left_out(row, group.inputs)});
    }
  }

  // Nothing is reduced in this pass: the label is around what the other pass reduces.
  bool hands_on(const Group& group) const {
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
      if (record(group.inputs[i]).fingerprint.hash != record(group.outputs[i]).fingerprint.hash) return false;
    }
    return true;
  }

  std::optional<std::vector<std::byte>> sum(const std::vector<std::int64_t>& rows) const {
    const DType dtype = record(rows.front()).dtype;
    if (dtype_class(dtype) != DTypeClass::floating) return std::nullopt;
    std::vector<std::byte> total;
    for (const std::int64_t row : rows) {
      if (!trace_.has_payload(row) || record(row).dtype != dtype) return std::nullopt;
      std::vector<std::byte> next = trace_.payload(row);
      if (!total.empty() && next.size() != total.size()) return std::nullopt;
      if (total.empty()) {
        total = std::move(next);
      } else {
        add_elements(total, next, dtype);
      }
    }
    return total;
  }

  // Libraries may add in another order.
  bool agrees(std::int64_t row, const std::vector<std::byte>& total) const {
    const Record& found = record(row);
    if (fingerprint(total, found.dtype, {0}).hash == found.fingerprint.hash) return true;
    if (!trace_.has_payload(row)) return true;
    const std::vector<std::byte> bytes = trace_.payload(row);
    return judge({found.dtype, found.shape, total}, {found.dtype, found.shape, bytes}, Gate{}).passes();
  }

  std::string left_out(std::int64_t row, const std::vector<std::int64_t>& inputs) const {
    for (const std::int64_t without : inputs) {
      std::vector<std::int64_t> others = inputs;
      std::erase(others, without);
      const auto total = sum(others);
      if (total && agrees(row, *total))
        return ": the part of rank " + std::to_string(record(without).id.rank) + " is left out";
    }
    return "";
  }

  const TraceView& trace_;
  TraceChecks& checks_;
  RankGrid ranks_;
};

}  // namespace

void check_collectives(const TraceView& trace, TraceChecks& checks) { CollectiveCheck(trace, checks).run(); }

}  // namespace goldentrace
