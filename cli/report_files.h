// Reports of a diff as files, by their ending.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "diff/report.h"

namespace goldentrace {

using Paths = std::vector<std::filesystem::path>;

// Error(usage) for an ending that stands for no format and for a file that the command reads, Error(input_output) where
// no file can be written.
void check_report_files(const Paths& paths, const Paths& read_from);

// .json: the document of --json; .txt: the text with lists of at most `limit` lines.
void write_report_files(const Paths& paths, const Report& report, std::int64_t limit);

}  // namespace goldentrace
