#include <string>
#include <utility>

#include "diff/check/trace_checks.h"
#include "diff/relation/built_in.h"
#include "diff/relation/copies.h"
#include "diff/relation/variant_sets.h"

namespace goldentrace {

namespace {

// What must be equal whatever the program does with its losses and gradients.
bool is_stored(const RecordId& id) {
  return (id.role == Role::param && id.pass != Pass::update) || id.role == Role::buffer;
}

class ReplicaCheck {
 public:
  ReplicaCheck(const TraceView& trace, TraceChecks& checks) : trace_(trace), checks_(checks) {}

  void run() {
    bool ranks = false;
    bool micros = false;
    for (const Record& record : trace_.records) {
      ranks = ranks || record.id.rank > 0;
      micros = micros || record.id.micro > 0;
    }
    if (splits_known_model(trace_))
      check(
          "tensor-parallel", [](const RecordId&) { return true; }, "replica");
    if (ranks) {
      const auto over_data = [](const RecordId& id) { return is_stored(id) || id.pass == Pass::update; };
      check("data-parallel", over_data, "replica");
    }
    const auto parameters = [](const RecordId& id) { return id.role == Role::param && id.pass != Pass::update; };
    if (micros) check("accumulation", parameters, "micro-replica");
  }

 private:
  template <typename Counts>
  void check(const std::string& relation, const Counts& counts, const std::string& kind) {
    const auto set = built_in_relation(relation);
    const std::vector<RelationRole> roles{{set.get(), RelationPart::a, RelationPart::a}};
    const LogicalSide side(trace_, trace_, roles);
    const CopyCheck found = check_copies(side, counts);
    checks_.replicas += found.compared;
    for (const UnequalCopy& each : found.unequal)
      checks_.findings.push_back({kind, each.row, each.reference, text(each, kind)});
  }

  std::string text(const UnequalCopy& copy, const std::string& kind) const {
    const RecordId& id = trace_.records[static_cast<std::size_t>(copy.row)].id;
    const RecordId& kept = trace_.records[static_cast<std::size_t>(copy.reference)].id;
    if (kind == "micro-replica") {
      return "the parameter is not what micro-batch " + std::to_string(kept.micro) +
             " of the same step read: optimizer step before the last micro-batch";
    }
    return "rank " + std::to_string(id.rank) + " has another value than rank " + std::to_string(kept.rank) +
           ", and they must be equal";
  }

  const TraceView& trace_;
  TraceChecks& checks_;
};

}  // namespace

void check_replicas(const TraceView& trace, TraceChecks& checks) { ReplicaCheck(trace, checks).run(); }

}  // namespace goldentrace
