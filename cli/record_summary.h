// What a recording says at its end. Free of LibTorch.
#pragma once

#include <filesystem>
#include <string>

#include "cli/output_options.h"

namespace goldentrace {

// Reads the sealed trace and prints "run.h5: 1.2 MB, 8 steps, 960 records; replayable: 5 of 5 layers", or the
// document goldentrace.record/1.
void print_summary(const std::filesystem::path& trace, const OutputOptions& options);

// "2 committed steps are in run.h5" or "no step was committed, nothing was written". Does not throw.
std::string committed_text(const std::filesystem::path& trace);

}  // namespace goldentrace
