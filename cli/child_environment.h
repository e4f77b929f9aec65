// The environment of a program that is started, in the form that posix_spawn takes.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace goldentrace {

// "NAME=value" of this process, with `extra` added or in the place of what has its names.
std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra);

// Null-terminated; valid as long as the texts.
std::vector<char*> word_pointers(const std::vector<std::string>& texts);

}  // namespace goldentrace
