#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "diff/call_index.h"
#include "diff/check/trace_checks.h"
#include "diff/op_text.h"

namespace goldentrace {

namespace {

using Place = std::tuple<std::int64_t, std::int64_t, std::int32_t, std::string, std::int32_t, Role, std::int32_t>;

Place place_of(const Record& record) {
  const RecordId& id = record.id;
  return {id.step, id.micro, id.rank, id.layer, id.call, id.role, record.position};
}

class RecomputeCheck {
 public:
  RecomputeCheck(const TraceView& trace, TraceChecks& checks) : trace_(trace), checks_(checks), calls_(trace.calls) {}

  void run() {
    std::map<Place, std::int64_t> again;
    for (std::size_t row = 0; row < trace_.records.size(); ++row) {
      if (trace_.records[row].id.pass == Pass::recompute)
        again.emplace(place_of(trace_.records[row]), static_cast<std::int64_t>(row));
    }
    if (again.empty()) return;
    for (std::size_t row = 0; row < trace_.records.size(); ++row) {
      if (trace_.records[row].id.pass != Pass::forward) continue;
      const auto found = again.find(place_of(trace_.records[row]));
      if (found != again.end()) compare(static_cast<std::int64_t>(row), found->second);
    }
  }

 private:
  const Record& record(std::int64_t row) const { return trace_.records[static_cast<std::size_t>(row)]; }

  void compare(std::int64_t first, std::int64_t again) {
    ++checks_.recomputed;
    const RecordId& id = record(again).id;
    if (layers_.insert(id.layer).second) checks_.recomputed_layers.push_back(id.layer);
    const bool restored = starts_alike(id);
    if (record(first).fingerprint.hash != record(again).fingerprint.hash) {
      checks_.findings.push_back({"recompute", again, first, text(id, restored)});
    } else if (!restored && id.role == Role::output) {
      checks_.findings.push_back({"random-state", again, first,
                                  "the layer draws random numbers and was recomputed from another random state"});
    }
  }

  static std::string text(const RecordId& id, bool restored) {
    const std::string what = id.role == Role::param ? "parameter" : std::string(name(id.role));
    return "recomputed " + what + " differs from the first " + what + (restored ? "" : ": RNG not restored");
  }

  // Whether a layer that draws was entered with the random state that it had the first time.
  bool starts_alike(const RecordId& id) const {
    RecordId first = id;
    first.pass = Pass::forward;
    const LayerCall* before = calls_.call_of(first);
    const LayerCall* now = calls_.call_of(id);
    if (!before || !now || before->random < 0 || now->random < 0 || now->tape < 0) return true;
    if (before->random == now->random) return true;
    const Tape tape = trace_.tape(now->tape);
    return std::ranges::none_of(tape.ops, draws_random) || trace_.blob(before->random) == trace_.blob(now->random);
  }

  const TraceView& trace_;
  TraceChecks& checks_;
  CallIndex calls_;
  std::set<std::string> layers_;
};

}  // namespace

void check_recomputed(const TraceView& trace, TraceChecks& checks) { RecomputeCheck(trace, checks).run(); }

}  // namespace goldentrace
