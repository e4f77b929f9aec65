// The words of a rules file.
#pragma once

#include <string>
#include <vector>

namespace goldentrace {

using RuleWords = std::vector<std::string>;

inline const RuleWords rule_keys{"layer", "role", "pass", "gate", "rtol", "atol", "rel", "nan"};

// "unknown key 'layr', did you mean 'layer'?; use layer, role, …".
std::string unknown_word(const std::string& what, const std::string& word, const RuleWords& known);

}  // namespace goldentrace
