// "Did you mean", for error messages of the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace goldentrace {

// "did you mean h.1.attn, h.1.mlp?"; without a close name "known: a, b, c … (12 in all)"; "" without candidates.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace goldentrace
