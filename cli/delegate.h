// Commands that are programs of their own, found beside gtrace as git finds its commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace goldentrace {

// The folder of the running program.
std::filesystem::path program_folder();

// Replaces this process by PROGRAM_FOLDER/program. Error(not_found) when it is not there or cannot be run.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace goldentrace
