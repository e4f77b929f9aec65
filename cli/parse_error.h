// What CLI11 refuses, in the words of the other messages: which option, what was given, what is allowed.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace goldentrace {

// One line without a full stop, ending with the help to look at: "--limit is given 2 times (1, 2); give it once; see
// gtrace show --help". `app` is the root that was parsed.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

// "gtrace record mlp".
std::string full_name(const CLI::App& app);

}  // namespace goldentrace
