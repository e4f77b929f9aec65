// Reports of a diff as files, by their ending.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "diff/report.h"

namespace goldentrace {

// Error(usage) for an ending that stands for no format, Error(input_output) where no file can be written.
void check_report_files(const std::vector<std::filesystem::path>& paths);

// .json: the document of --json; .txt: the text with lists of at most `limit` lines.
void write_report_files(const std::vector<std::filesystem::path>& paths, const Report& report, std::int64_t limit);

}  // namespace goldentrace
