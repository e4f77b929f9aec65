// How logical tensors of two traces correspond. Read from TOML; docs/RELATIONS.md describes the file.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/relation/form.h"
#include "diff/relation/name_pattern.h"
#include "traces/header.h"
#include "traces/record_id.h"

namespace goldentrace {

// Header entries with the values that they may have; "" stands for an absent entry.
using HeaderCondition = std::map<std::string, std::vector<std::string>>;
bool holds(const HeaderCondition& condition, const Header& header);

// Which records of one trace a line speaks of.
struct RecordPattern {
  NamePattern layer;
  std::optional<NamePattern> index;  // every index
  std::optional<NamePattern> from;   // layer of a record that an input came from (a gradient: that its input came from)
  std::vector<Role> roles;           // empty: all
  std::vector<Pass> passes;          // empty: all
};

// Of which steps a line speaks.
enum class StepKind {
  any,
  without_loss,  // no loss is recorded: evaluations
};

// Records of a and b that are the same logical tensor, or records of one side without a counterpart (`reason`).
struct RelationLine {
  std::optional<RecordPattern> a, b;  // one of them is empty where a record has no counterpart
  std::string reason;
  Form form_a, form_b;
  // Where one trace has no such record, its record of this pass stands for it: a forward for a recompute.
  std::optional<Pass> stand_in;
  std::optional<NamePattern> unmasked;  // layer of a whose output is zero where entries are masked
  HeaderCondition when_a, when_b;
  StepKind steps = StepKind::any;
  HeaderCondition when;  // what the header of the record's own trace says
  std::string note;
  int line = 0;

  // Its records meet one another, by index where it is given, and not those of the same position of first use.
  bool names_records() const { return a && b && (a->index || b->index || a->from || b->from); }
};

struct RelationSide {
  std::string name;        // "megatron"
  HeaderCondition header;  // what its traces say; empty: nothing is asked
};

// A number, or the names of header entries that hold it.
struct Symbol {
  std::optional<double> number;
  std::vector<std::string> header_a, header_b;  // of either trace: what one does not say, the other may
  std::vector<std::string> own;                 // of the trace that the record is of; `otherwise` where absent
  double otherwise = 1;
};

struct Relation {
  std::string name;
  std::string about;
  std::filesystem::path path;  // empty: built in
  RelationSide a, b;
  std::map<std::string, Symbol, std::less<>> symbols;
  std::vector<RelationLine> lines;  // the last one that fits a record decides

  bool is_built_in() const { return path.empty(); }
  std::string where(const RelationLine& line) const;  // "file.toml line 12", "relation megatron-hf line 12"
};

// Relations that are used together: of each of them one line may speak of a record, and the forms follow one another.
using RelationSets = std::vector<std::shared_ptr<const Relation>>;

// Error(not_found, input_output) for the file; Error(usage) naming file and line for anything in it that is not
// understood or cannot be right, with the nearest word that is known.
Relation read_relation(const std::filesystem::path& path);
Relation parse_relation(std::string_view text, const std::filesystem::path& path);

}  // namespace goldentrace
