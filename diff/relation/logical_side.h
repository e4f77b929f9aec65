// The records of one trace sorted into logical tensors under the names of trace A.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "diff/relation/relation.h"
#include "diff/trace_view.h"

namespace goldentrace {

// What the relation says of one record.
struct LineMatch {
  const RelationLine* line = nullptr;  // null: the relation does not speak of it, it stands as it is
  Captures captures;
  std::string layer, index;  // under A's names
  bool by_line = false;      // it meets the record of the same line and index, not the one of the same position
};

// One logical tensor before its form is carried out.
struct LogicalTensor {
  std::vector<std::int64_t> sources;  // rows, by (micro, rank)
  LineMatch match;

  bool is_left_out() const { return match.line && !(match.line->a && match.line->b); }
};

// Whether a trace takes the part of the relation's a or b.
enum class RelationPart { a, b };

class LogicalSide {
 public:
  // `other`: the trace on the other side, whose header decides conditions too. `named`: the part whose names are used.
  LogicalSide(const TraceView& trace, const TraceView& other, const Relation& relation, RelationPart part,
              RelationPart named);

  const TraceView& trace() const { return trace_; }
  RelationPart part() const { return part_; }
  const Form& form(const LogicalTensor& tensor) const;
  // In the order in which the last of their sources was recorded.
  const std::vector<LogicalTensor>& tensors() const { return tensors_; }
  // How many records every line of the relation took.
  const std::map<const RelationLine*, std::int64_t>& uses() const { return uses_; }
  // Recorded layers under A's names; only where one name is right for all of their records.
  const std::map<std::string, std::string, std::less<>>& layers() const { return layers_; }

 private:
  LineMatch match(const Record& record) const;
  bool comes_from(const Record& record, const NamePattern& layer, const Captures& captures) const;
  const Record* input_of(const Record& gradient) const;
  const LineMatch& known_match(const Record& record);
  void collect();
  void name_layers();

  const TraceView& trace_;
  const Relation& relation_;
  RelationPart part_;
  RelationPart named_;
  std::vector<const RelationLine*> lines_;  // those whose conditions hold, the last first
  std::unordered_map<std::string, LineMatch> known_;
  std::vector<LogicalTensor> tensors_;
  std::map<const RelationLine*, std::int64_t> uses_;
  std::map<std::string, std::string, std::less<>> layers_;
};

// How well the records of a trace fit the patterns of a part: the number that some line takes.
std::int64_t count_fitting(const TraceView& trace, const Relation& relation, RelationPart part);

}  // namespace goldentrace
