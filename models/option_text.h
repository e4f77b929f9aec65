// Option values to and from text. parse() throws Error(usage) that names the option and what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/option_choices.h"

namespace goldentrace {

std::string to_text(std::int64_t value);
std::string to_text(double value);
std::string to_text(bool value);

void parse(std::string_view option, std::string_view text, std::int64_t& value);
void parse(std::string_view option, std::string_view text, double& value);
void parse(std::string_view option, std::string_view text, bool& value);

// The place of `text` among `choices`.
std::size_t parse_choice(std::string_view option, std::string_view text, std::span<const std::string_view> choices);

std::string joined(const std::vector<std::string>& names);  // "a, b, c"

template <class T>
requires std::is_enum_v<T> std::string to_text(T value) {
  return std::string(choices(value)[static_cast<std::size_t>(value)]);
}

template <class T>
requires std::is_enum_v<T>
void parse(std::string_view option, std::string_view text, T& value) {
  value = static_cast<T>(parse_choice(option, text, choices(value)));
}

template <class T>
std::string to_text(const std::optional<T>& value) {
  return value ? to_text(*value) : "none";
}

template <class T>
void parse(std::string_view option, std::string_view text, std::optional<T>& value) {
  value.reset();
  if (text != "none") parse(option, text, value.emplace());
}

}  // namespace goldentrace
