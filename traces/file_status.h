// What is at a path. Symbolic links are followed. Nothing there is an answer, not an error; where the system refuses to
// say (a folder that may not be searched, a loop of links, too long a name): Error(input_output) naming the path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace goldentrace {

bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);  // a regular one

std::filesystem::file_time_type changed_at(const std::filesystem::path& file);
std::uint64_t size_of_file(const std::filesystem::path& file);

// As seen from the current folder, which may have been removed: Error(input_output).
std::filesystem::path absolute_path(const std::filesystem::path& path);

// Sorted by name. Error(input_output) also for one that is not there.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

void make_folder(const std::filesystem::path& folder);  // nothing when it is there

}  // namespace goldentrace
