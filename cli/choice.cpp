#include "cli/choice.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "traces/error.h"
#include "traces/suggest.h"

namespace goldentrace {
namespace {

constexpr std::string_view any_number_mark = "<k>";

std::string joined(const std::vector<std::string>& values, const char* separator) {
  return CLI::detail::join(values, separator);
}

std::string complaint(const std::string& value, const std::vector<std::string>& values) {
  const std::vector<std::string> close = closest_names(value, values, 1);
  std::string text = "unknown value '" + value + "'";
  if (!close.empty()) text += ", did you mean " + close.front() + "?";
  return text + " (" + joined(values, ", ") + ")";
}

// Whether `value` is the pattern with digits in the place of <k>.
bool fits(const std::string& value, const std::string& pattern) {
  const std::size_t mark = pattern.find(any_number_mark);
  if (mark == std::string::npos) return value == pattern;
  const std::string stem = pattern.substr(0, mark), rest = pattern.substr(mark + any_number_mark.size());
  if (value.size() <= stem.size() + rest.size() || !value.starts_with(stem) || !value.ends_with(rest)) return false;
  const std::string digits = value.substr(stem.size(), value.size() - stem.size() - rest.size());
  return digits.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

bool is_choice(const std::string& value, const std::vector<std::string>& values) {
  return std::any_of(values.begin(), values.end(), [&](const std::string& each) { return fits(value, each); });
}

CLI::Option* choice(CLI::Option* option, const std::vector<std::string>& values) {
  option->type_name(joined(values, "|"));
  return option->check(CLI::Validator(
      [values](std::string& value) { return is_choice(value, values) ? std::string() : complaint(value, values); }, "",
      "choices"));
}

void refuse_choice(const std::string& name, const std::string& value, const std::vector<std::string>& values) {
  throw Error(ErrorCode::usage, name + ": " + complaint(value, values));
}

}  // namespace goldentrace
