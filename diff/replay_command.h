// The command that runs a diverging layer again.
#pragma once

#include <filesystem>
#include <string>

#include "diff/report.h"

namespace goldentrace {

// Which traces hold the inputs, parameters and arriving gradients of the layer call.
struct ReplaySources {
  bool a = true;
  bool b = true;
};

// Runs the layer of the divergence in the pass of its record: B's from B's trace; where B has no payload, B's ops on
// A's inputs, which agree. For glue: the layer that the tensor enters, on A's inputs, which clears or convicts it.
// Empty where neither trace has what it takes, and for records that no layer's replay makes (the update of the
// optimizer, losses outside labels). Arguments are quoted for a POSIX shell where needed.
std::string replay_command(const std::filesystem::path& a, const std::filesystem::path& b, const Divergence& divergence,
                           ReplaySources sources = {});

// The word as it is where a POSIX shell reads it so, else in quotes; control characters as bash and zsh write them.
std::string shell_quoted(const std::string& word);

}  // namespace goldentrace
