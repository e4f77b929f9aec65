// --mask and --sample of gtrace diff.
#pragma once

#include <filesystem>
#include <string>

#include "diff/relation/position_choice.h"

namespace CLI {
class App;
}

namespace goldentrace {

void add_position_options(CLI::App& command, std::filesystem::path& mask, std::string& sample);
// Empty ones are not asked for. Error as read_id_table, and Error(usage) for a mask of other than two dimensions or a
// sample that is not "A:B".
PositionChoice read_positions(const std::filesystem::path& mask, const std::string& sample);

}  // namespace goldentrace
