// Whether a file can be written where the user wants it.
#pragma once

#include <filesystem>
#include <string>

namespace goldentrace {

// Error(input_output) when the path exists and is no regular file, when its folder does not exist or is none, or when
// it is empty. Writes nothing.
void check_output_path(const std::filesystem::path& path);

// "a folder", "a pipe" …; empty for a regular file and where nothing is.
std::string special_kind(const std::filesystem::path& path);

}  // namespace goldentrace
