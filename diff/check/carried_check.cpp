#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "diff/check/trace_checks.h"

namespace goldentrace {

namespace {

using Parameter = std::tuple<std::int64_t, std::int32_t, std::string, std::string>;  // step, rank, layer, name

class CarriedCheck {
 public:
  CarriedCheck(const TraceView& trace, TraceChecks& checks) : trace_(trace), checks_(checks) {}

  void run() {
    for (std::size_t row = 0; row < trace_.records.size(); ++row) {
      const RecordId& id = trace_.records[row].id;
      if (id.role != Role::param) continue;
      if (id.pass == Pass::update) {
        left_[{id.step, id.rank, id.layer, id.index}] = static_cast<std::int64_t>(row);
      } else if (id.pass == Pass::forward) {
        compare(static_cast<std::int64_t>(row));
      }
    }
  }

 private:
  const Record& record(std::int64_t row) const { return trace_.records[static_cast<std::size_t>(row)]; }

  // As the step before left it: the record that it names as its maker, or the one of the same name, of rank 0 where one
  // process updates for all.
  std::int64_t before(std::int64_t row) const {
    const RecordId& id = record(row).id;
    for (const std::int64_t producer : record(row).producers) {
      if (producer < 0 || producer >= row) continue;
      const RecordId& made = record(producer).id;
      if (made.role == Role::param && made.pass == Pass::update && made.step == id.step - 1) return producer;
    }
    for (const std::int32_t rank : {id.rank, 0}) {
      const auto found = left_.find({id.step - 1, rank, id.layer, id.index});
      if (found != left_.end()) return found->second;
    }
    return -1;
  }

  void compare(std::int64_t row) {
    const std::int64_t left = before(row);
    if (left < 0) return;
    ++checks_.carried;
    if (record(left).fingerprint.hash == record(row).fingerprint.hash) return;
    // Once a step: later micro-batches and layers read the same.
    const RecordId& id = record(row).id;
    if (!named_.insert({id.step, id.rank, id.layer, id.index}).second) return;
    checks_.findings.push_back({"carried", row, left,
                                "the parameter enters step " + std::to_string(id.step) +
                                    " with another value than step " + std::to_string(id.step - 1) + " left it"});
  }

  const TraceView& trace_;
  TraceChecks& checks_;
  std::map<Parameter, std::int64_t> left_;
  std::set<Parameter> named_;
};

}  // namespace

void check_carried(const TraceView& trace, TraceChecks& checks) { CarriedCheck(trace, checks).run(); }

}  // namespace goldentrace
