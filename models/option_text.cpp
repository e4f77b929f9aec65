#include "models/option_text.h"

#include <charconv>

#include "models/loss_value.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::string_view truth_values[]{"true", "false"};

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& takes) {
  throw Error(ErrorCode::usage,
              std::string(option) + " takes " + takes + ", not \"" + std::string(text.substr(0, 200)) + "\"");
}

template <class T>
T number_of(std::string_view option, std::string_view text, const std::string& takes) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) refuse(option, text, takes);
  return value;
}

}  // namespace

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string to_text(std::int64_t value) { return std::to_string(value); }
std::string to_text(double value) { return shortest(value); }
std::string to_text(bool value) { return std::string(truth_values[value ? 0 : 1]); }

std::size_t parse_choice(std::string_view option, std::string_view text, std::span<const std::string_view> choices) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == text) return i;
    known.emplace_back(choices[i]);
  }
  refuse(option, text, joined(known));
}

void parse(std::string_view option, std::string_view text, std::int64_t& value) {
  value = number_of<std::int64_t>(option, text, "a whole number");
}
void parse(std::string_view option, std::string_view text, double& value) {
  value = number_of<double>(option, text, "a number");
}
void parse(std::string_view option, std::string_view text, bool& value) {
  value = parse_choice(option, text, truth_values) == 0;
}

}  // namespace goldentrace
