#include "cli/choice.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {
namespace {

std::string joined(const std::vector<std::string>& values, const char* separator) {
  return CLI::detail::join(values, separator);
}

std::string complaint(const std::string& value, const std::vector<std::string>& values) {
  const std::vector<std::string> close = closest_names(value, values, 1);
  std::string text = "unknown value '" + value + "'";
  if (!close.empty()) text += ", did you mean " + close.front() + "?";
  return text + " (" + joined(values, ", ") + ")";
}

}  // namespace

CLI::Option* choice(CLI::Option* option, const std::vector<std::string>& values) {
  option->type_name(joined(values, "|"));
  return option->check(CLI::Validator(
      [values](std::string& value) {
        const bool known = std::find(values.begin(), values.end(), value) != values.end();
        return known ? std::string() : complaint(value, values);
      },
      "", "choices"));
}

void refuse_choice(const std::string& name, const std::string& value, const std::vector<std::string>& values) {
  throw Error(ErrorCode::usage, name + ": " + complaint(value, values));
}

}  // namespace goldentrace
