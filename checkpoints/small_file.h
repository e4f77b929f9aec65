// Small text files of checkpoints, read whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace goldentrace {

// Error: those of open_regular_file ("a text file"), and damaged when it is longer than `most` bytes.
std::string read_small_file(const std::filesystem::path& path, std::uint64_t most);

void write_small_file(const std::filesystem::path& path, const std::string& text);

}  // namespace goldentrace
