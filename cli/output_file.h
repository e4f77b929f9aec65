// Writes a whole file beside its name and renames it: what was there before stays until the new content is complete.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace goldentrace {

// Error(input_output) when the path may not be written (cli/output_path.h); Error(usage) when it, or what it is written
// to first, is a file that the command reads: `read_from`, their segments, and the files in those that are folders.
// Writes nothing.
void check_output_file(const std::filesystem::path& path, const std::vector<std::filesystem::path>& read_from);

// Error(input_output) on a full disk and the like: nothing is left then, and an older file is untouched.
void write_output_file(const std::filesystem::path& path, std::string_view content);

}  // namespace goldentrace
