// Which lines of relations were used, and which of a file cannot be right.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "diff/relation/related_side.h"
#include "diff/relation/relation.h"
#include "diff/report.h"

namespace goldentrace {

// How often the forms of a line fitted, and the first that did not.
struct FormFit {
  std::int64_t fitting = 0;
  std::string misfit;
};
using FormFits = std::map<const RelationLine*, FormFit>;

// The two traces as they take part in the same relations.
struct BothSides {
  const RelatedSide& a;
  std::span<const RelationRole> roles_a;
  const RelatedSide& b;
  std::span<const RelationRole> roles_b;
};

// In the order of the relations and their lines.
std::vector<UsedLine> used_lines(const BothSides& sides);

// Error(usage), naming file and line, where a line of a relation read from a file takes no record of a trace, with the
// closest layer that there is.
void check_lines_take_records(const BothSides& sides);

// Error(usage) where a form of such a line fits none of its tensors.
void check_forms_fit(const BothSides& sides, const FormFits& fits);

}  // namespace goldentrace
