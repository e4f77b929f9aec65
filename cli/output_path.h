// Whether a file can be written where the user wants it.
#pragma once

#include <filesystem>

namespace goldentrace {

// Error(input_output) when the path exists and is no regular file, when its folder does not exist or is none, or when
// it is empty. Writes nothing.
void check_output_path(const std::filesystem::path& path);

}  // namespace goldentrace
