// What the value of an option may be: one of a few words, or a number in a range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace goldentrace {

// Lets `option` take only `values`; any other value is an error that names the closest ones and all of them. The
// values show in the help and are offered by shell completion. For options with several values: each of them.
CLI::Option* choice(CLI::Option* option, const std::vector<std::string>& values);

// Lets `option` take only integers from `lowest` to `highest`.
CLI::Option* integer_between(CLI::Option* option, std::int64_t lowest, std::int64_t highest);
CLI::Option* integer_from(CLI::Option* option, std::int64_t lowest);

// Lets `option` take only finite numbers of at least `lowest`.
CLI::Option* number_from(CLI::Option* option, double lowest);

// Error(usage) "NAME: unknown value 'fulll', did you mean full? (full, sketch)".
[[noreturn]] void refuse_choice(const std::string& name, const std::string& value,
                                const std::vector<std::string>& values);

}  // namespace goldentrace
