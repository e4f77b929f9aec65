// Options whose value is one of a few words.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace goldentrace {

// Whether it is one of them; "dp<k>" among them stands for dp with any number behind it.
bool is_choice(const std::string& value, const std::vector<std::string>& values);

// Lets `option` take only `values`; any other value is an error that names the closest ones and all of them. The
// values show in the help and are offered by shell completion. For options with several values: each of them.
CLI::Option* choice(CLI::Option* option, const std::vector<std::string>& values);

// Error(usage) "NAME: unknown value 'fulll', did you mean full? (full, sketch)".
[[noreturn]] void refuse_choice(const std::string& name, const std::string& value,
                                const std::vector<std::string>& values);

}  // namespace goldentrace
