// The records of one trace sorted into logical tensors under the names of trace A.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "diff/relation/relation.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Whether a trace takes the part of the relation's a or b.
enum class RelationPart { a, b };

// How a trace takes part in one relation.
struct RelationRole {
  const Relation* relation;
  RelationPart part;   // of this trace
  RelationPart named;  // whose names are used: the part of trace A
};

// What one relation says of a record.
struct SetMatch {
  const RelationLine* line;
  const RelationRole* role;
  Captures captures;
};

// What all relations together say of it.
struct LineMatch {
  std::vector<SetMatch> sets;  // in their order; empty: it stands as it is
  std::string layer, index;    // under A's names
  bool by_line = false;        // it meets the record of the same line and index, not the one of the same position
  Form form;

  // Of the last relation that speaks of it, which decides the names.
  const RelationLine* line() const { return sets.empty() ? nullptr : sets.back().line; }
};

// One logical tensor before its form is carried out.
struct LogicalTensor {
  std::vector<std::int64_t> sources;  // rows, in the order of their shards
  const LineMatch* match = nullptr;   // of the side; many tensors have the same
  std::optional<Pass> stands_for;     // the other trace has it in this pass

  bool is_left_out() const { return match->line() && !(match->line()->a && match->line()->b); }
};

class LogicalSide {
 public:
  // `other`: the trace on the other side, whose header decides conditions too. The roles must outlive it.
  LogicalSide(const TraceView& trace, const TraceView& other, std::span<const RelationRole> roles);
  LogicalSide(const LogicalSide&) = delete;
  LogicalSide& operator=(const LogicalSide&) = delete;

  // Where a line says that records of this trace stand for what only the other one has: they do so from now on.
  void stand_in_for(const LogicalSide& other);

  const TraceView& trace() const { return trace_; }
  const RankGrid& ranks() const { return ranks_; }
  // In the order in which the last of their sources was recorded.
  const std::vector<LogicalTensor>& tensors() const { return tensors_; }
  // How many records every line of the relation took.
  const std::map<const RelationLine*, std::int64_t>& uses() const { return uses_; }
  // Recorded layers under A's names; only where one name is right for all of their records.
  const std::map<std::string, std::string, std::less<>>& layers() const { return layers_; }

 private:
  using Lines = std::vector<const RelationLine*>;

  LineMatch match(const Record& record) const;
  bool match_one(const Record& record, std::size_t role, LineMatch& match) const;
  bool comes_from(const Record& record, const NamePattern& layer, const Captures& captures) const;
  const Record* input_of(const Record& gradient) const;
  const LineMatch& known_match(const Record& record);
  void look_at_steps();
  const LineMatch& match_of(const Record& record);
  void collect();
  void sort();
  void name_layers();

  const TraceView& trace_;
  std::span<const RelationRole> roles_;
  RankGrid ranks_;
  std::vector<Lines> lines_;  // of every role those whose conditions hold, the last first
  std::unordered_map<std::string, LineMatch> known_;
  std::unordered_map<const LineMatch*, LineMatch> copied_;  // for steps in which every rank does the same
  std::set<std::int64_t> copied_steps_;
  std::set<std::int64_t> steps_with_loss_;
  std::vector<LogicalTensor> tensors_;
  std::map<const RelationLine*, std::int64_t> uses_;
  std::map<std::string, std::string, std::less<>> layers_;
};

// How well the records of a trace fit the patterns of a part: the number that some line takes.
std::int64_t count_fitting(const TraceView& trace, const Relation& relation, RelationPart part);

}  // namespace goldentrace
