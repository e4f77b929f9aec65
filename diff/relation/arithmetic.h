// Small arithmetic in the arguments of a form: "max(1, i)", "1 / (heads * 2)".
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace goldentrace {

// The value of a name (a symbol or a capture); nothing when it is not known.
using NameValue = std::function<std::optional<double>(std::string_view)>;

// + - * / ( ), numbers, names, max(…), min(…), sqrt(x). Error(usage) in words for anything else, for a name without a
// value and for a division by zero. Nesting is bounded.
double evaluate(std::string_view text, const NameValue& value_of);

// The names that it speaks of; Error(usage) when it is no arithmetic.
std::set<std::string> names_in(std::string_view text);

}  // namespace goldentrace
