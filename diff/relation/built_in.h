// Relations that are part of the program, as the TOML that they were written in.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diff/relation/relation.h"

namespace goldentrace {

std::vector<std::string> built_in_relations();                               // names
std::string_view relation_text(const std::string& name);                     // Error(usage) with the closest name
std::shared_ptr<const Relation> built_in_relation(const std::string& name);  // parsed once; any thread

}  // namespace goldentrace
