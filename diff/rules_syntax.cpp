#include "diff/rules_syntax.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "diff/rules_words.h"

namespace goldentrace {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  return "'" + std::string(text.substr(0, longest)) + (text.size() > longest ? "…" : "") + "'";
}

bool is_number(const std::string& key) { return key == "rtol" || key == "atol" || key == "rel"; }

std::string example_of(const std::string& key) {
  if (key == "layer") return "layer = \"h.*.mlp\"";
  if (key == "role") return "role = [\"output\", \"param\"]";
  if (key == "pass") return "pass = \"forward\"";
  if (key == "gate") return "gate = \"allclose\"";
  if (key == "nan") return "nan = \"same\"";
  return key + " = 1e-4";
}

std::string value_error(const std::string& key, std::string_view value) {
  const std::string needs = is_number(key) ? " needs a number" : " needs a text in quotes";
  return "'" + key + "'" + needs + ", as in " + example_of(key) + "; found " + quoted(value);
}

// Lines of the same rule before this one that set the same key.
bool is_repeated(const std::vector<std::string_view>& lines, std::size_t at, std::string_view key) {
  while (at-- > 0 && !lines[at].starts_with('[')) {
    if (trimmed(lines[at].substr(0, lines[at].find('='))) == key) return true;
  }
  return false;
}

std::string explain(const std::vector<std::string_view>& lines, std::size_t at) {
  const std::string_view line = lines[at];
  if (line.starts_with('[')) return "a rule begins with the line [[rule]]; found " + quoted(line);
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return "expected KEY = VALUE; found " + quoted(line);
  const std::string key(trimmed(line.substr(0, equals)));
  if (std::ranges::find(rule_keys, key) == rule_keys.end()) return unknown_word("key", key, rule_keys);
  if (is_repeated(lines, at, key)) return "'" + key + "' is set twice in one rule";
  return value_error(key, trimmed(line.substr(equals + 1)));
}

}  // namespace

SyntaxError explain_syntax(std::string_view text, int line) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::size_t at = std::min(lines.size(), static_cast<std::size_t>(std::max(1, line))) - 1;
  while (at > 0 && lines[at].empty()) --at;
  return {static_cast<int>(at) + 1, explain(lines, at)};
}

}  // namespace goldentrace
