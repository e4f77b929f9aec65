// The command that runs a diverging layer again.
#pragma once

#include <filesystem>
#include <string>

#include "diff/report.h"

namespace goldentrace {

// Runs the layer of the divergence from B's trace, in the pass of its record. For glue: the layer that the tensor
// enters, on A's inputs, which clears or convicts it. Empty for records that no layer's replay makes (the update of
// the optimizer, losses outside labels). Arguments are quoted for a POSIX shell where needed.
std::string replay_command(const std::filesystem::path& a, const std::filesystem::path& b,
                           const Divergence& divergence);

std::string shell_quoted(const std::string& word);

}  // namespace goldentrace
