#include "cli/choice.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/number.h"
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

CLI::Option* integer_between(CLI::Option* option, std::int64_t lowest, std::int64_t highest) {
  return option->type_name("N")->check(CLI::Validator(
      [lowest, highest](std::string& text) {
        std::int64_t value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value >= lowest && value <= highest;
        if (fits) return std::string();
        const std::string range = highest == std::numeric_limits<std::int64_t>::max()
                                      ? " of at least " + std::to_string(lowest)
                                      : " from " + std::to_string(lowest) + " to " + std::to_string(highest);
        return "'" + text + "' is no integer" + range;
      },
      "", "range"));
}

CLI::Option* integer_from(CLI::Option* option, std::int64_t lowest) {
  return integer_between(option, lowest, std::numeric_limits<std::int64_t>::max());
}

CLI::Option* number_from(CLI::Option* option, double lowest) {
  return option->type_name("X")->check(CLI::Validator(
      [lowest](std::string& text) {
        double value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= lowest;
        return fits ? std::string() : "'" + text + "' is no number of at least " + decimal(lowest);
      },
      "", "range"));
}

void refuse_choice(const std::string& name, const std::string& value, const std::vector<std::string>& values) {
  throw Error(ErrorCode::usage, name + ": " + complaint(value, values));
}

}  // namespace goldentrace
