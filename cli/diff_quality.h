// The options of gtrace diff that measure the quality of logits.
#pragma once

#include <filesystem>

#include "diff/quality_options.h"

namespace CLI {
class App;
}

namespace goldentrace {

void add_quality_options(CLI::App& command, QualityOptions& quality, std::filesystem::path& targets);
// Reads the targets. Error as read_id_table.
void read_targets(const std::filesystem::path& path, QualityOptions& quality);

}  // namespace goldentrace
