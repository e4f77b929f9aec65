// --relation and --print-relation of gtrace diff.
#pragma once

#include <string>
#include <vector>

#include "diff/diff.h"

namespace CLI {
class App;
}

namespace goldentrace {

void add_relation_options(CLI::App& command, std::vector<std::string>& relations);

// `asked`: "identity", the name of a built-in relation, or a file; empty: chosen from the headers. Error(usage) naming
// the closest one.
void set_relations(const std::vector<std::string>& asked, DiffOptions& options);

// --unscale: gradients are divided by the header entry `loss.scale`. Error(usage) where neither header has it.
void set_unscale(const Header& a, const Header& b, DiffOptions& options);

}  // namespace goldentrace
