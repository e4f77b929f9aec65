// What a path names, in words of messages.
#pragma once

#include <filesystem>
#include <string>

namespace goldentrace {

// "a folder", "a device", "a pipe", "a socket" or "no regular file".
std::string kind_of_file(std::filesystem::file_type type);

}  // namespace goldentrace
