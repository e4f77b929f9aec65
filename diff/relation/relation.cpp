#include "diff/relation/relation.h"

#include <algorithm>

namespace goldentrace {

bool holds(const HeaderCondition& condition, const Header& header) {
  return std::ranges::all_of(condition, [&header](const auto& entry) {
    const auto found = header.find(entry.first);
    const std::string value = found == header.end() ? "" : found->second;
    return std::ranges::find(entry.second, value) != entry.second.end();
  });
}

std::string Relation::where(const RelationLine& line) const {
  const std::string file = is_built_in() ? "relation " + name : path.string();
  return file + " line " + std::to_string(line.line);
}

}  // namespace goldentrace
