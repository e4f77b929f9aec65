// Option values to and from text. parse() throws Error(usage) that names the option and what it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/gpt_config.h"

namespace goldentrace {

std::string to_text(std::int64_t value);
std::string to_text(double value);
std::string to_text(bool value);
std::string to_text(Activation value);
std::string to_text(ScoreRule value);
std::string to_text(MaskRule value);

void parse(std::string_view option, std::string_view text, std::int64_t& value);
void parse(std::string_view option, std::string_view text, double& value);
void parse(std::string_view option, std::string_view text, bool& value);
void parse(std::string_view option, std::string_view text, Activation& value);
void parse(std::string_view option, std::string_view text, ScoreRule& value);
void parse(std::string_view option, std::string_view text, MaskRule& value);

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
