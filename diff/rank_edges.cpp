#include "diff/rank_edges.h"

#include <map>
#include <string>
#include <tuple>

#include "diff/brought.h"
#include "diff/collective.h"
#include "diff/relation/shard.h"

namespace goldentrace {

namespace {

// Records that go into one reduction; unused fields are 0.
using Meeting = std::tuple<std::int64_t, std::int64_t, std::int32_t, Pass, std::string, std::int32_t, std::string>;

class RankEdges {
 public:
  explicit RankEdges(const TraceView& trace)
      : trace_(trace),
        ranks_(trace.header),
        brought_by_others_(brought_by_others(trace.records)),
        edges_(trace.records.size()) {}

  std::vector<std::vector<std::int64_t>> run() {
    for (std::size_t row = 0; row < trace_.records.size(); ++row) arrive(row);
    for (std::size_t row = 0; row < trace_.records.size(); ++row) leave(row);
    return std::move(edges_);
  }

 private:
  const Record& record(std::size_t row) const { return trace_.records[row]; }

  // Of a label around a collective, the ranks of one data index.
  Meeting collective(const Record& record, std::int32_t position) const {
    const RecordId& id = record.id;
    return {id.step, id.micro, ranks_.shard_of(id).data, id.pass, id.layer, id.call, std::to_string(position)};
  }
  // Of a total gradient, the ranks of one tensor index.
  Meeting gradient(const RecordId& id) const {
    return {id.step, 0, ranks_.shard_of(id).tensor, Pass::update, id.layer, 0, id.index};
  }
  static Meeting loss(const RecordId& id) { return {id.step, 0, 0, Pass::update, "", 0, ""}; }

  static constexpr std::int32_t own_position = 0;  // what a rank itself brings is its first input
  static bool enters(Role role) { return role == Role::input || role == Role::grad_output; }
  static bool leaves(Role role) { return role == Role::output || role == Role::grad_input; }

  void arrive(std::size_t row) {
    const RecordId& id = record(row).id;
    const auto at = static_cast<std::int64_t>(row);
    if (brought_by_others_[row] != Brought::no) return;
    if (collective_of(id.layer) != Collective::none && enters(id.role))
      brought_[collective(record(row), record(row).position)].push_back(at);
    if (id.role == Role::param_grad && id.pass == Pass::backward) brought_[gradient(id)].push_back(at);
    if (id.role == Role::loss && id.pass == Pass::forward) brought_[loss(id)].push_back(at);
  }

  void leave(std::size_t row) {
    const RecordId& id = record(row).id;
    if (brought_by_others_[row] == Brought::here) connect(row, collective(record(row), own_position));
    if (collective_of(id.layer) != Collective::none && leaves(id.role))
      connect(row, collective(record(row), record(row).position));
    if (id.role == Role::param_grad && id.pass == Pass::update) connect(row, gradient(id));
    if (id.role == Role::loss && id.pass == Pass::update) connect(row, loss(id));
  }

  void connect(std::size_t row, const Meeting& meeting) {
    const auto found = brought_.find(meeting);
    if (found == brought_.end()) return;
    for (const std::int64_t from : found->second) {
      if (record(static_cast<std::size_t>(from)).id.rank != record(row).id.rank) edges_[row].push_back(from);
    }
  }

  const TraceView& trace_;
  RankGrid ranks_;
  std::vector<Brought> brought_by_others_;
  std::map<Meeting, std::vector<std::int64_t>> brought_;
  std::vector<std::vector<std::int64_t>> edges_;
};

}  // namespace

std::vector<std::vector<std::int64_t>> rank_edges(const TraceView& trace) { return RankEdges(trace).run(); }

}  // namespace goldentrace
